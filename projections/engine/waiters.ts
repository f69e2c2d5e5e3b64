/** Callers that wait until the read models have passed a position in the store. */
import type { Checkpoint } from '../../domain/ports.ts'
import { isAtOrAfter } from '../../workflows/support/store-position.ts'

interface Waiter {
  checkpoint: Checkpoint
  answer: (passed: boolean) => void
}

export const openWaiters = (isAfter: (a: Checkpoint, b: Checkpoint) => boolean) => {
  const waiting = new Set<Waiter>()
  let onAwaited: () => void = () => {}
  let reachedPosition: Checkpoint | null = null

  /** Whether a caller waits for a later position. */
  const isAwaited = (): boolean => waiting.size > 0

  /** Resolves when a caller waits for a later position, at the latest after the time (milliseconds). One at a time. */
  const awaited = (timeoutMs: number): Promise<void> => {
    if (isAwaited()) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      onAwaited = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Everything up to this position is in the read models. null: they are empty. */
  const reached = (position: Checkpoint | null): void => {
    reachedPosition = position
    if (position === null) return
    // A topic may hold positions of a store that the installation has left in a store migration. They are never passed.
    for (const waiter of waiting) if (isAtOrAfter(position, waiter.checkpoint, isAfter)) waiter.answer(true)
  }

  /** @returns whether the position was passed within the time (milliseconds) */
  const passed = (checkpoint: Checkpoint, timeoutMs: number): Promise<boolean> => {
    if (reachedPosition !== null && isAtOrAfter(reachedPosition, checkpoint, isAfter)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        checkpoint,
        answer: (isPassed) => {
          clearTimeout(timer)
          waiting.delete(waiter)
          resolve(isPassed)
        },
      }
      const timer = setTimeout(() => waiter.answer(false), timeoutMs)
      waiting.add(waiter)
      onAwaited()
    })
  }

  return { position: () => reachedPosition, isAwaited, awaited, reached, passed }
}

export type Waiters = ReturnType<typeof openWaiters>
