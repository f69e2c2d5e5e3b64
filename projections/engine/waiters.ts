/** Callers that wait until the read models have passed a position in the store. */
import type { Checkpoint } from '../../domain/ports.ts'
import { isAtOrAfter } from '../../workflows/support/store-position.ts'

interface Waiter {
  checkpoint: Checkpoint
  answer: (passed: boolean) => void
}

export class Waiters {
  readonly #isAfter: (a: Checkpoint, b: Checkpoint) => boolean
  readonly #waiting = new Set<Waiter>()
  #onAwaited: () => void = () => {}
  #position: Checkpoint | null = null

  constructor(isAfter: (a: Checkpoint, b: Checkpoint) => boolean) {
    this.#isAfter = isAfter
  }

  get position(): Checkpoint | null {
    return this.#position
  }

  /** Whether a caller waits for a later position. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  /** Resolves when a caller waits for a later position, at the latest after the time (milliseconds). One at a time. */
  awaited(timeoutMs: number): Promise<void> {
    if (this.isAwaited) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#onAwaited = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Everything up to this position is in the read models. null: they are empty. */
  reached(position: Checkpoint | null): void {
    this.#position = position
    if (position === null) return
    // A topic may hold positions of a store that the installation has left in a store migration. They are never passed.
    for (const waiter of this.#waiting) if (isAtOrAfter(position, waiter.checkpoint, this.#isAfter)) waiter.answer(true)
  }

  /** @returns whether the position was passed within the time (milliseconds) */
  passed(checkpoint: Checkpoint, timeoutMs: number): Promise<boolean> {
    if (this.#position !== null && isAtOrAfter(this.#position, checkpoint, this.#isAfter)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const waiter: Waiter = {
        checkpoint,
        answer: (passed) => {
          clearTimeout(timer)
          this.#waiting.delete(waiter)
          resolve(passed)
        },
      }
      const timer = setTimeout(() => waiter.answer(false), timeoutMs)
      this.#waiting.add(waiter)
      this.#onAwaited()
    })
  }
}
