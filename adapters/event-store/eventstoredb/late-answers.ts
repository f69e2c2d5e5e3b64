/**
 * The client keeps the appends it waits for in one table for the whole process. When any of its calls breaks, all of them are
 * rejected and forgotten; an answer that comes for one of them afterwards throws from an event handler, and what still
 * waited to be written is rejected where nobody listens. Both would end the process. They are told by their stack and
 * met with new connections: those appends were unknown outcomes anyway, and are tried again. Any other uncaught error goes
 * where it would have gone.
 */

/** With source maps a stack names the client's sources, which are not in its package. */
const APPENDING = /@eventstore[\\/]db-client[\\/](?:dist|src)[\\/]streams[\\/]appendToStream[\\/]batchAppend/

const listeners = new Set<(error: Error) => void>()

const isLateAnswer = (error: unknown): error is Error =>
  listeners.size > 0 && error instanceof Error && APPENDING.test(error.stack ?? '')

const onUncaught = (error: Error): void => {
  if (isLateAnswer(error)) {
    // With a code it is the end of the call itself, once for each append that waited to be written: nothing more to do.
    if (!('code' in error)) for (const listener of listeners) listener(error)
    return
  }
  if ((process as NodeJS.EventEmitter).emit('uncaughtException', error, 'uncaughtException')) return
  console.error(error)
  process.exit(1)
}

/** Calls back for every late answer. @returns ends it */
export const onLateAnswer = (listener: (error: Error) => void): (() => void) => {
  if (!process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(onUncaught)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) process.setUncaughtExceptionCaptureCallback(null)
  }
}
