// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Deliveries that this worker has claimed but not begun. They wait in the lanes, or aside while their endpoint is
 * failing. They leave when they begin, when they are let go (another worker has them, or nobody may make them), or when
 * they go back to the queue.
 */
import { RuleCheck } from './rule-check.ts'
import { SuspendedJobs } from './suspended-jobs.ts'
import type { EndpointState } from './endpoint-updates.ts'
import type { Job, Lanes } from './lanes.ts'
import type { Claimed, DeliveryQueue } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

export interface ClaimedJobsOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'giveBack' | 'presentRules' | 'stillMine'>
  lanes: Lanes
  tracked: TrackedTransactions
  /** After it aborts, nothing begins: the sign-off frees the claims. */
  stopping: AbortSignal
  /** These went back to the queue because their rules have changed. */
  onOutdated: (claims: readonly Claimed[]) => void
  /** Claims could not be given back. The queue may still have them. */
  onLost: (error: unknown) => void
  onError: (error: unknown) => void
}

const letAll = (): boolean => true

export class ClaimedJobs {
  readonly #options: ClaimedJobsOptions
  readonly #suspended: SuspendedJobs
  readonly #ruleCheck: RuleCheck

  constructor(options: ClaimedJobsOptions) {
    const { queue, stopping, onError } = options
    this.#options = options
    this.#suspended = new SuspendedJobs(options.lanes)
    this.#ruleCheck = new RuleCheck({
      queue,
      stopping,
      onError,
      waiting: () => this.#waiting,
      giveBack: (outdated) => this.#giveBackOutdated(outdated),
    })
  }

  get #waiting(): Job[] {
    return [...this.#options.lanes.jobsWaiting(), ...this.#suspended.jobs]
  }

  begin(claimed: readonly Claimed[]): void {
    if (this.#options.stopping.aborted) return
    this.#options.lanes.add(claimed)
    this.#ruleCheck.watch()
  }

  /** Drops the waiting deliveries, or the chosen ones. They are not made here. */
  release(chosen: (job: Job) => boolean = letAll): void {
    for (const claim of this.#takeOut(chosen)) this.#options.tracked.release(claim)
  }

  /** While this worker was silent, others may have taken over deliveries that wait here. */
  async releaseLost(): Promise<void> {
    const { worker, queue } = this.#options
    const waited = this.#waiting
    if (waited.length === 0) return
    const claims = waited.map((job) => job.claimed)
    const lost = new Set(waited)
    for (const index of await queue.stillMine(worker, claims)) lost.delete(waited[index]!)
    this.release((job) => lost.has(job))
  }

  /** An endpoint has failed often enough here. Its deliveries wait aside until the results of all workers are known. */
  suspend(endpoint: { user_id: number; endpoint: string }): void {
    this.#suspended.suspend(endpoint)
  }

  /** Takes the endpoints' state over all workers. Deliveries to an endpoint that must not be called go back to the queue. */
  async update(states: readonly EndpointState[]): Promise<void> {
    await this.#giveBack(this.#suspended.update(states).map(({ claimed }) => claimed))
  }

  async #giveBackOutdated(outdated: ReadonlySet<Job>): Promise<void> {
    const claims = this.#takeOut((job) => outdated.has(job))
    if (await this.#giveBack(claims)) this.#options.onOutdated(claims)
  }

  #takeOut(chosen: (job: Job) => boolean): Claimed[] {
    const jobs = [...this.#options.lanes.takeOut(chosen), ...this.#suspended.takeOut(chosen)]
    return jobs.map(({ claimed }) => claimed)
  }

  /** @returns whether the queue has them again */
  async #giveBack(claims: readonly Claimed[]): Promise<boolean> {
    if (claims.length === 0) return true
    const { worker, queue, tracked, onLost } = this.#options
    try {
      await queue.giveBack(worker, claims)
      return true
    } catch (error) {
      onLost(error)
      return false
    } finally {
      // Until then they are held, so that a search for lost claims leaves them alone.
      for (const claim of claims) tracked.release(claim)
    }
  }
}
