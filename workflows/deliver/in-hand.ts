/**
 * What this worker has claimed and not begun: it waits in the lanes, or aside while its server is failing. It leaves these
 * hands by being begun, by being let go (another has it, or nobody shall), or by being given back to the queue.
 */
import { LeftAlone } from './left-alone.ts'
import type { EndpointState } from './endpoint-updates.ts'
import type { Job, Lanes } from './lanes.ts'
import type { Claimed, DeliveryQueue } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

export interface InHandOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'giveBack' | 'stillMine'>
  lanes: Lanes
  tracked: TrackedTransactions
  /** After that nothing is begun any more: the goodbye frees the claims. */
  stopping: AbortSignal
}

const letAll = (): boolean => true

export class InHand {
  readonly #options: InHandOptions
  readonly #leftAlone: LeftAlone

  constructor(options: InHandOptions) {
    this.#options = options
    this.#leftAlone = new LeftAlone(options.lanes)
  }

  begin(claimed: readonly Claimed[]): void {
    if (!this.#options.stopping.aborted) this.#options.lanes.add(claimed)
  }

  /** What waits, all of it or what is chosen, is not made here. */
  letGo(chosen: (job: Job) => boolean = letAll): void {
    const { lanes, tracked } = this.#options
    for (const { claimed } of [...lanes.takeOut(chosen), ...this.#leftAlone.takeOut(chosen)]) tracked.release(claimed)
  }

  /** While this worker was silent others may have taken over what waits here. */
  async letGoOfLost(): Promise<void> {
    const { worker, queue, lanes } = this.#options
    const waited = [...lanes.jobsWaiting(), ...this.#leftAlone.jobs]
    if (waited.length === 0) return
    const claims = waited.map((job) => job.claimed)
    const lost = new Set(waited)
    for (const place of await queue.stillMine(worker, claims)) lost.delete(waited[place]!)
    this.letGo((job) => lost.has(job))
  }

  /** A server has failed often enough here: what waits for it waits aside until it is known how it fares with all. */
  putAside(endpoint: { user_id: number; endpoint: string }): void {
    this.#leftAlone.putAside(endpoint)
  }

  /** How servers fare with all workers: what waits for one that is to be left alone goes back to the queue. */
  async told(states: readonly EndpointState[]): Promise<void> {
    const { worker, queue, tracked } = this.#options
    const claims = this.#leftAlone.told(states).map(({ claimed }) => claimed)
    for (const claim of claims) tracked.release(claim)
    if (claims.length > 0) await queue.giveBack(worker, claims)
  }
}
