/** What the process says about itself: JSON lines on standard error, as standard output belongs to a command's answer. */
import { pino } from 'pino'

/** One wide line per thing that happened: the fields first, then its name (`notification.received`). */
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

/** Not what else an error carries: a database's holds the row it was about. */
const told = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  return { type: name, code, message, stack, ...(cause === undefined ? {} : { cause: told(cause) }) }
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
      serializers: { err: told },
      redact: { paths: NEVER, censor: '[never logged]' },
    },
    // Lines are written behind the caller's back; pino writes what is left when the process ends.
    pino.destination({ dest: 2, sync: false }),
  )

/** For tests and for commands that have nothing to tell. */
export const silent: LogLines = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
