// Tests: tests/e2e/main-job-roles.test.ts
/** The first SIGTERM or Ctrl-C finishes the current work. A second one, or a timeout, ends the process immediately. */

/** The process is ended if it has not finished by then. In milliseconds. */
const PATIENCE_MS = 9_800

/** @returns a signal that aborts at the first SIGTERM or SIGINT */
export const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  const onSignal = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return stopping.signal
}
