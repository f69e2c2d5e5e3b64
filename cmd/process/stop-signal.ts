/** SIGTERM and Ctrl-C, once: the work in hand is ended; whoever asks twice, or waits too long, is obeyed at once. */

/** Everything has ended by then, or is cut off (milliseconds). */
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
