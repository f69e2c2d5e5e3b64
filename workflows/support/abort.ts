// Tests: tests/unit/workflows/support/retry.test.ts
/** Waits that an abort ends early. They leave no listener on a signal that lives as long as the process. */
import { setTimeout as pause } from 'node:timers/promises'

export const waitUnlessAborted = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await pause(milliseconds, undefined, { signal }).catch(() => {})
}

/** Resolves when its function in `waiting` is called, after the milliseconds (Infinity: never), or when the signal aborts. */
export const waitUntilWoken = (milliseconds: number, signal: AbortSignal, waiting: Set<() => void>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      waiting.delete(wake)
      resolve()
    }
    const timer = Number.isFinite(milliseconds) ? setTimeout(wake, milliseconds) : undefined
    signal.addEventListener('abort', wake)
    waiting.add(wake)
  })

/** Resolves when the signal aborts. */
export const untilAborted = async (signal: AbortSignal): Promise<void> => {
  await orAborted(new Promise<never>(() => {}), signal)
}

/** The result of the promise, or undefined as soon as the signal aborts. After that the promise is ignored. */
export const orAborted = <Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const forget = (): void => signal.removeEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(forget).catch(forget)
  })
