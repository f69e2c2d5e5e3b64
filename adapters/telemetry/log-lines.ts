/** The log of the process: JSON lines on standard error, because standard output is for a command's result. */
import { writeSync } from 'node:fs'
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

const STANDARD_ERROR = 2

/**
 * Lines are written asynchronously. pino writes the remaining ones when the process ends. Lines that cannot be written, for example because the
 * terminal was closed, are lost and stop nothing.
 */
const destination = () => {
  const lines = pino.destination({ dest: STANDARD_ERROR, sync: false })
  let isBroken = false
  lines.on('error', () => (isBroken = true))
  lines.on('write', () => (isBroken = false))
  const isOpen = (): boolean => {
    try {
      writeSync(STANDARD_ERROR, '')
      return !isBroken
    } catch {
      return false
    }
  }
  const flushSync = lines.flushSync.bind(lines)
  // The library's own function repeats a failed write for ever.
  lines.flushSync = () => {
    if (isOpen()) flushSync()
  }
  return lines
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
    destination(),
  )

/** Writes nothing: for tests and benchmarks. */
export const silent: LogLines = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
