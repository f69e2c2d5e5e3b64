// Tests: tests/unit/adapters/event-store/circuit-breaker.test.ts
import type { StoreUnavailable } from '../../domain/errors.ts'
import { awakeNow } from '../system/awake.ts'

/** A request that waits for its answer, or background work that waits for the breaker to close. */
export interface Waiting {
  isRequest: boolean
  giveUpAt: number
  reject: (error: StoreUnavailable) => void
}

/** The callers that wait for the event store. */
export class WaitingCalls {
  readonly #mostWaitMs: number
  readonly #all = new Set<Waiting>()

  constructor(mostWaitMs: number) {
    this.#mostWaitMs = mostWaitMs
  }

  /** The caller stops waiting when it is given up, whatever becomes of the work. */
  within<Result>(work: () => Promise<Result>, isRequest: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { isRequest, giveUpAt: awakeNow() + this.#mostWaitMs, reject }
      this.#all.add(waiting)
      void work()
        .then(resolve, reject)
        .finally(() => this.#all.delete(waiting))
    })
  }

  /** Rejects those that match. @returns how many requests were among them */
  giveUp(isOver: (waiting: Waiting) => boolean, reason: () => StoreUnavailable): number {
    let requests = 0
    for (const waiting of this.#all) {
      if (!isOver(waiting)) continue
      this.#all.delete(waiting)
      if (waiting.isRequest) requests++
      waiting.reject(reason())
    }
    return requests
  }
}
