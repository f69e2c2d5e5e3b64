/** The log of the process: JSON lines on standard error, because standard output is for a command's result. */
import { writeSync } from 'node:fs'
import { pino } from 'pino'
import type { LogLines } from '../../domain/ports.ts'
import { withSources } from '../system/source-positions.ts'

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
  const shown = stack && withSources(stack)
  return { type: name, code, message, stack: shown, ...(cause === undefined ? {} : { cause: errorFields(cause) }) }
}

const STANDARD_ERROR = 2

/** Work that is tried again writes these lines, in an outage several times a second. */
const OF_RETRIES = new Set([
  'trouble',
  'log.trouble',
  'relay.waits',
  'event_store.trouble',
  'projection.away',
  'projection.upgrade_waits',
  'reaction.waits',
  'reaction.failed',
  'mail.outbox_unavailable',
])
const ONCE_IN_MS = 10_000
const MOST_KINDS = 1_000

/** Quoted names of files, times, words with the addresses of servers, and other numbers. */
const NUMBERED =
  /"[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z|(\[[\da-f:]+\](?::\d+)?|\d+(?:\.\d+){3}(?::\d+)?|[a-z][\w.-]*(?::\d+)?)|\d+/gi

/** Two failures of the same kind differ at most in numbers: of files, of processes, but not of servers. */
const kindOf = (fields: object, what: string): string => {
  const { err, reason, ...others } = fields as { err?: unknown; reason?: unknown }
  const words = `${err instanceof Error ? err.message : ''} ${String(reason)}`
  const kind = words.replaceAll(NUMBERED, (found, word?: string) => word ?? found.replaceAll(/\d+/g, '#'))
  return JSON.stringify([what, kind, others])
}

/**
 * Writes equal lines of retries at most once every ten seconds. `repeated` of a line is the number of lines that were left out before it.
 * @param elapsed  milliseconds that have passed
 */
export const seldom = (lines: LogLines, elapsed: () => number): LogLines => {
  const kinds = new Map<string, { at: number; repeated: number }>()
  const written =
    (write: LogLines['warn']): LogLines['warn'] =>
    (fields, what) => {
      if (!OF_RETRIES.has(what)) return write(fields, what)
      const kind = kindOf(fields, what)
      const before = kinds.get(kind)
      if (before && elapsed() - before.at < ONCE_IN_MS) return void before.repeated++
      if (kinds.size >= MOST_KINDS) kinds.clear()
      kinds.set(kind, { at: elapsed(), repeated: 0 })
      write(before?.repeated ? { ...fields, repeated: before.repeated } : fields, what)
    }
  return {
    debug: (fields, what) => lines.debug(fields, what),
    info: (fields, what) => lines.info(fields, what),
    warn: written((fields, what) => lines.warn(fields, what)),
    error: written((fields, what) => lines.error(fields, what)),
  }
}

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
  seldom(
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
    ),
    () => performance.now(),
  )

/** Writes nothing: for tests and benchmarks. */
export const silent: LogLines = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
