// Tests: tests/integration/eventstoredb/unknown-outcomes.test.ts
/**
 * The client keeps all pending appends in one table for the whole process. When any of its calls breaks, all pending appends
 * are rejected and removed. If an answer for one of them arrives later, an event handler throws. Appends that still waited to
 * be written are rejected without a handler. Both errors would end the process. This file recognises them by their stack, and
 * new connections are opened. The outcome of those appends was unknown anyway, so they are retried. Any other uncaught error
 * takes its normal course.
 */

/**
 * Marks of a stack of the client's appends: one of its files, which with source maps is not in its package. In a bundle it has no files, only
 * the call, or the handler of an answer that finds no append in the table.
 */
const APPENDING = [
  /@eventstore[\\/]db-client[\\/](?:dist|src)[\\/]streams[\\/]appendToStream[\\/]batchAppend/,
  /\bServiceClientImpl\d*\.batchAppend /,
  /^TypeError: undefined is not iterable.*\n *at ClientDuplexStreamImpl\d*\.<anonymous> /,
]

const listeners = new Set<(error: Error) => void>()

const isLateAnswer = (error: unknown): error is Error =>
  listeners.size > 0 && error instanceof Error && APPENDING.some((part) => part.test(error.stack ?? ''))

const onUncaught = (error: Error): void => {
  if (isLateAnswer(error)) {
    // An error with a code is the end of the call itself, once per append that waited to be written. Nothing else has to be
    // done.
    if (!('code' in error)) for (const listener of listeners) listener(error)
    return
  }
  if ((process as NodeJS.EventEmitter).emit('uncaughtException', error, 'uncaughtException')) return
  console.error(error)
  process.exit(1)
}

/** Calls the listener for every late answer. @returns a function that removes the listener */
export const onLateAnswer = (listener: (error: Error) => void): (() => void) => {
  if (!process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(onUncaught)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) process.setUncaughtExceptionCaptureCallback(null)
  }
}
