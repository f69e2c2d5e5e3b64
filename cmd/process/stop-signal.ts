// Tests: tests/integration/stop-signals.test.ts
/**
 * The first SIGTERM, Ctrl-C or end of the terminal finishes the current work. A second one, or a timeout, ends the process immediately.
 */

/**
 * A terminal sends Ctrl-C to npm and to Baoco, and npm passes it on. Signals that follow the first one this soon are the same one.
 * Milliseconds.
 */
const SAME_SIGNAL_MS = 1_000

/** The process is ended if it has not finished by then. In milliseconds. */
const PATIENCE_MS = 9_800

/** Milliseconds. */
const LOOK_FOR_NPX_EVERY_MS = 500

/** A SIGTERM ends npx and its shell and does not reach this process, which then has another parent. */
const onEndOfNpx = (stop: () => unknown): void => {
  if (process.env.npm_command !== 'exec') return
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    stop()
  }, LOOK_FOR_NPX_EVERY_MS).unref()
}

/** The last line of a start that was stopped. */
export const STOPPED_EARLY = 'Baoco was stopped before it was ready'

/** @returns a signal that aborts at the first SIGTERM, SIGINT or SIGHUP, and if npx has started this process and was ended */
export const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  let first = Infinity
  const onSignal = () => {
    if (performance.now() - first > SAME_SIGNAL_MS) process.exit(1)
    if (stopping.signal.aborted) return
    first = performance.now()
    stopping.abort()
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, onSignal)
  // npx may end late after a signal that reached both. It is not a second one.
  onEndOfNpx(() => stopping.signal.aborted || onSignal())
  // A terminal that was closed can no longer be written to. That must not end the process before its work.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return stopping.signal
}
