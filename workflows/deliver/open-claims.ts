// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Announces calls that may be made twice: attempts that a dead worker claimed, and perhaps made, without recording them. Another
 * worker makes them. They are announced at the start of a worker and at every takeover, once for each dead worker.
 */
import type { DeliveryQueue, OpenClaims } from './queue.ts'

export interface ClaimsOpen {
  at: 'start' | 'takeover'
  /** The worker that makes the calls. */
  worker: string
  claims_open: number
  of: OpenClaims[]
}

export class Announcements {
  readonly #queue: Pick<DeliveryQueue, 'countOpen'>
  readonly #worker: string
  readonly #announce: (claims: ClaimsOpen) => void
  #known = new Set<string>()

  constructor(queue: Pick<DeliveryQueue, 'countOpen'>, worker: string, announce: (claims: ClaimsOpen) => void) {
    this.#queue = queue
    this.#worker = worker
    this.#announce = announce
  }

  /** Whether all of these have been announced. */
  hasAll(dead: readonly string[]): boolean {
    return dead.every((each) => this.#known.has(each))
  }

  /** The start of this worker. It is announced even if there are no such calls. */
  start(dead: readonly string[]): Promise<void> {
    return this.#look('start', dead)
  }

  takeover(dead: readonly string[]): Promise<void> {
    return this.#look('takeover', dead)
  }

  async #look(at: ClaimsOpen['at'], dead: readonly string[]): Promise<void> {
    const fresh = dead.filter((each) => !this.#known.has(each))
    const of = fresh.length > 0 ? await this.#queue.countOpen(fresh) : []
    this.#known = new Set(dead)
    const claims_open = of.reduce((sum, each) => sum + each.claims_open, 0)
    if (at === 'start' || claims_open > 0) this.#announce({ at, worker: this.#worker, claims_open, of })
  }
}
