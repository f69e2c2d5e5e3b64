// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Deliveries that this worker has claimed but not begun. They wait in the lanes, or aside while their server is
 * failing. They leave when they begin, when they are let go (another worker has them, or nobody may make them), or when
 * they go back to the queue.
 */
import { SuspendedJobs } from './suspended-jobs.ts'
import type { EndpointState } from './endpoint-updates.ts'
import type { Job, Lanes } from './lanes.ts'
import type { Claimed, DeliveryQueue } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

export interface InHandOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'giveBack' | 'stillMine'>
  lanes: Lanes
  tracked: TrackedTransactions
  /** After it aborts, nothing begins any more: the goodbye frees the claims. */
  stopping: AbortSignal
}

const letAll = (): boolean => true

export class ClaimedJobs {
  readonly #options: InHandOptions
  readonly #suspended: SuspendedJobs

  constructor(options: InHandOptions) {
    this.#options = options
    this.#suspended = new SuspendedJobs(options.lanes)
  }

  begin(claimed: readonly Claimed[]): void {
    if (!this.#options.stopping.aborted) this.#options.lanes.add(claimed)
  }

  /** Drops the waiting deliveries, or the chosen ones. They are not made here. */
  release(chosen: (job: Job) => boolean = letAll): void {
    const { lanes, tracked } = this.#options
    for (const { claimed } of [...lanes.takeOut(chosen), ...this.#suspended.takeOut(chosen)]) tracked.release(claimed)
  }

  /** While this worker was silent, others may have taken over deliveries that wait here. */
  async releaseLost(): Promise<void> {
    const { worker, queue, lanes } = this.#options
    const waited = [...lanes.jobsWaiting(), ...this.#suspended.jobs]
    if (waited.length === 0) return
    const claims = waited.map((job) => job.claimed)
    const lost = new Set(waited)
    for (const index of await queue.stillMine(worker, claims)) lost.delete(waited[index]!)
    this.release((job) => lost.has(job))
  }

  /** A server has failed often enough here. Its deliveries wait aside until the results of all workers are known. */
  suspend(endpoint: { user_id: number; endpoint: string }): void {
    this.#suspended.suspend(endpoint)
  }

  /** Takes the servers' state over all workers. Deliveries to a server that must not be called go back to the queue. */
  async update(states: readonly EndpointState[]): Promise<void> {
    const { worker, queue, tracked } = this.#options
    const claims = this.#suspended.update(states).map(({ claimed }) => claimed)
    if (claims.length === 0) return
    try {
      await queue.giveBack(worker, claims)
    } finally {
      // Until then they are held, so that a search for lost claims leaves them alone.
      for (const claim of claims) tracked.release(claim)
    }
  }
}
