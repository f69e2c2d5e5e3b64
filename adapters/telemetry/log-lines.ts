/** The log of the process: JSON lines on standard error, because standard output is for a command's result. */
import { pino } from 'pino'

/** Writes one wide line per event: the fields first, then the event's name (`notification.received`). */
export interface LogLines {
  debug(fields: object, what: string): void
  info(fields: object, what: string): void
  warn(fields: object, what: string): void
  error(fields: object, what: string): void
}

/** These fields are removed from every log line, so that no line contains a secret or a notification text. */
const NEVER = [
  'password',
  'secret',
  'secret_key',
  'token',
  'api_key',
  'authorization',
  'cookie',
  'text',
  'raw',
  'raw_data',
  'description',
]

/** Drops an error's other properties: a database error contains the row that caused it. */
const errorFields = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { type: name, code, message, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) }
}

/** @param level  `LOG_LEVEL` */
export const openLogLines = (level: string): LogLines =>
  pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFields },
      redact: { paths: NEVER, censor: '[never logged]' },
    },
    // Lines are written asynchronously. pino writes the remaining ones when the process ends.
    pino.destination({ dest: 2, sync: false }),
  )

/** For tests, and for commands that log nothing. */
export const silent: LogLines = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
