// Tests: tests/unit/workflows/support/retry.test.ts
/** Waits that an abort ends early. No listener stays on a signal that lives as long as the process. */
import { setTimeout as pause } from 'node:timers/promises'

export const waitUnlessAborted = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await pause(milliseconds, undefined, { signal }).catch(() => {})
}

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
