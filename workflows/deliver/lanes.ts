// Tests: tests/integration/delivery/delivery.test.ts
/** The lanes for first attempts, due retries, manual retries and bulk retries. Each has its own room. */
import { Lane, type LaneJob, type LaneLimits } from './lane.ts'
import { LANES, type Claimed, type LaneName, type RoomByLane, type Shares } from './queue.ts'

/** Calls in flight per user and endpoint. */
export const BULK_CALLS_PER_ENDPOINT = 16

const LIMITS: Record<LaneName, LaneLimits> = {
  first: { room: 4_000, slots: 1_024, perUser: 128, perEndpoint: 64, waitingPerEndpoint: 256 },
  retry: { room: 1_000, slots: 256, perUser: 64, perEndpoint: 32, waitingPerEndpoint: 128 },
  manual: { room: 500, slots: 128, perUser: 64, perEndpoint: 32, waitingPerEndpoint: 128 },
  bulk: { room: 500, slots: 64, perUser: 32, perEndpoint: BULK_CALLS_PER_ENDPOINT, waitingPerEndpoint: 128 },
}

export interface Job extends LaneJob {
  claimed: Claimed
  /** When it came here: milliseconds of `performance.now()`. */
  since: number
}

export class Lanes {
  readonly #lanes: Record<LaneName, Lane<Job>>
  readonly #each: readonly Lane<Job>[]

  /** @param makeCall  never throws */
  constructor(makeCall: (job: Job) => Promise<void>, limits: Partial<Record<LaneName, Partial<LaneLimits>>> = {}) {
    const open = (name: LaneName) => new Lane<Job>({ ...LIMITS[name], ...limits[name] }, makeCall)
    this.#lanes = { first: open('first'), retry: open('retry'), manual: open('manual'), bulk: open('bulk') }
    this.#each = LANES.map((name) => this.#lanes[name])
  }

  get first(): Lane<Job> {
    return this.#lanes.first
  }

  get inFlight(): number {
    return this.#each.reduce((sum, lane) => sum + lane.inFlight, 0)
  }

  use(): Record<LaneName, { inFlight: number; waiting: number }> {
    return this.#of(({ inFlight, waiting }) => ({ inFlight, waiting }))
  }

  room(): RoomByLane {
    return this.#of(({ free }) => free)
  }

  add(claimed: readonly Claimed[]): void {
    const since = performance.now()
    const jobs = claimed.map((each) => {
      return { claimed: each, since, user_id: each.user_id, rule_id: each.rule_id, endpoint: each.endpoint.name }
    })
    for (const name of LANES) this.#lanes[name].add(jobs.filter((job) => job.claimed.lane === name))
  }

  /** Lets the job wait again, and starts nothing until `resume`. */
  putBack(job: Job): void {
    this.hold()
    this.#lanes[job.claimed.lane].add([job])
  }

  hold(): void {
    for (const lane of this.#each) lane.hold(true)
  }

  resume(): void {
    for (const lane of this.#each) lane.hold(false)
  }

  fullRules(): number[] {
    return this.#each.flatMap((lane) => lane.fullRules())
  }

  /** Calls of limited rules that wait. */
  limitedWaiting(): Claimed[] {
    return this.jobsWaiting().flatMap(({ claimed }) => (claimed.rule.max_per_minute === null ? [] : [claimed]))
  }

  /** How much of the room each user may have. */
  shares(): Shares {
    return {
      whole: this.#of(({ share }) => share),
      left: LANES.flatMap((lane) => this.#lanes[lane].sharesLeft().map((each) => ({ lane, ...each }))),
    }
  }

  jobsWaiting(): Job[] {
    return this.#each.flatMap((lane) => lane.jobsWaiting())
  }

  /** Removes the chosen waiting jobs. */
  takeOut(chosen: (job: Job) => boolean): Job[] {
    return this.#each.flatMap((lane) => lane.takeOut(chosen))
  }

  #of<Value>(valueOf: (lane: Lane<Job>) => Value): Record<LaneName, Value> {
    const { first, retry, manual, bulk } = this.#lanes
    return { first: valueOf(first), retry: valueOf(retry), manual: valueOf(manual), bulk: valueOf(bulk) }
  }
}
