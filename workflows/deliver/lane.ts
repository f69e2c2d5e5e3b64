/**
 * Room for calls of one kind. Slots go round by user and, within a user, by endpoint, so that nobody waits for another's
 * backlog; an endpoint (scheme, host and port, per user) and a user have only so many at a time, so that one that hangs
 * holds its own slots and no others. What may wait here is bounded: `free` is what may still be claimed.
 */

export interface LaneLimits {
  /** Calls waiting and in flight together. */
  room: number
  /** Calls in flight. */
  slots: number
  /** In flight, per user. */
  perUser: number
  /** In flight, per endpoint. */
  perEndpoint: number
  /** Waiting, per endpoint; above it the endpoint's rules are full. */
  waitingPerEndpoint: number
}

export interface LaneJob {
  user_id: number
  rule_id: number
  /** `https://shop.vn:443` */
  endpoint: string
}

interface Endpoint<Job> {
  user: User<Job>
  name: string
  waiting: Job[]
  inFlight: number
  rules: Set<number>
  /** When a call of it last ended, and how long its calls last, of late: milliseconds. */
  movedAt: number
  lasts: number
  isListed: boolean
}

interface User<Job> {
  id: number
  endpoints: Map<string, Endpoint<Job>>
  /** Endpoints with something waiting and a slot to go: the next is in front. */
  turn: Endpoint<Job>[]
  inFlight: number
  isListed: boolean
}

/** An endpoint that has all its slots taken and has not ended a call for so long is stuck: milliseconds. */
const STUCK_AFTER = 1_000

/**
 * One that takes so long for what waits here is slow: milliseconds. What it is not given is left to the queue for the rest of
 * a minute, so a burst should not make it slow: 256 waiting calls of a second each, 64 at a time, do not.
 */
const SLOW_AFTER = 5_000

/** Share of the newest call in how long calls last. */
const NEWEST = 1 / 8

/** What a user may have here however full it is. */
const A_FEW = 8

export class Lane<Job extends LaneJob> {
  readonly #limits: LaneLimits
  readonly #run: (job: Job) => Promise<void>
  readonly #now: () => number
  readonly #users = new Map<number, User<Job>>()
  /** Users with an endpoint to go: the next is in front. */
  #turn: User<Job>[] = []
  #waiting = 0
  #inFlight = 0
  #isHeld = false

  /**
   * @param run  makes the call and has its result taken over; never throws
   * @param now  a clock that does not jump: milliseconds
   */
  constructor(limits: LaneLimits, run: (job: Job) => Promise<void>, now = (): number => performance.now()) {
    this.#limits = limits
    this.#run = run
    this.#now = now
  }

  get free(): number {
    return Math.max(0, this.#limits.room - this.#waiting - this.#inFlight)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const endpoint = this.#endpointOf(job)
      endpoint.waiting.push(job)
      endpoint.rules.add(job.rule_id)
      this.#waiting++
      this.#list(endpoint)
    }
    this.#go()
  }

  /** While held, nothing begins; what is in flight goes on. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#go()
  }

  /** Takes out what waits, all of it or what is chosen. */
  takeOut(chosen: (job: Job) => boolean = () => true): Job[] {
    const out: Job[] = []
    for (const user of this.#users.values())
      for (const endpoint of user.endpoints.values()) {
        out.push(...endpoint.waiting.filter(chosen))
        endpoint.waiting = endpoint.waiting.filter((job) => !chosen(job))
        this.#forgetIfIdle(endpoint)
      }
    this.#waiting -= out.length
    return out
  }

  jobsWaiting(): Job[] {
    return [...this.#endpoints()].flatMap((endpoint) => endpoint.waiting)
  }

  /** Rules whose endpoints have no room for more. */
  fullRules(): number[] {
    return [...this.#endpoints()]
      .filter((endpoint) => this.#isFull(endpoint))
      .flatMap((endpoint) => [...endpoint.rules])
  }

  /**
   * How many more of a user's calls may be claimed. An endpoint that is full but getting on is worth waiting for: 0. One that
   * is stuck or slow is not, as the user's others would wait with it: its rules are full, its calls are left to the queue. Who
   * has nothing waiting here gets a few in even when the others have taken all the room.
   */
  roomFor(userId: number): number {
    const now = this.#now()
    const gettingOn = [...(this.#users.get(userId)?.endpoints.values() ?? [])].filter(
      (endpoint) => !this.#isStuck(endpoint, now) && !this.#isSlow(endpoint),
    )
    const waiting = gettingOn.reduce((most, endpoint) => Math.max(most, endpoint.waiting.length), 0)
    const free = waiting === 0 ? Math.max(this.free, A_FEW) : this.free
    return Math.max(0, Math.min(free, this.#limits.waitingPerEndpoint - waiting))
  }

  *#endpoints(): Iterable<Endpoint<Job>> {
    for (const user of this.#users.values()) yield* user.endpoints.values()
  }

  #isFull(endpoint: Endpoint<Job>): boolean {
    return endpoint.waiting.length >= this.#limits.waitingPerEndpoint
  }

  #isStuck({ inFlight, movedAt }: Endpoint<Job>, now: number): boolean {
    return inFlight >= this.#limits.perEndpoint && now - movedAt >= STUCK_AFTER
  }

  #isSlow({ waiting, lasts }: Endpoint<Job>): boolean {
    return (waiting.length * lasts) / this.#limits.perEndpoint >= SLOW_AFTER
  }

  #endpointOf({ user_id, endpoint: name }: Job): Endpoint<Job> {
    let user = this.#users.get(user_id)
    if (!user) {
      user = { id: user_id, endpoints: new Map(), turn: [], inFlight: 0, isListed: false }
      this.#users.set(user_id, user)
    }
    let endpoint = user.endpoints.get(name)
    if (!endpoint) {
      const rules = new Set<number>()
      endpoint = { user, name, waiting: [], inFlight: 0, rules, movedAt: this.#now(), lasts: 0, isListed: false }
      user.endpoints.set(name, endpoint)
    }
    return endpoint
  }

  /** Puts an endpoint, and with it its user, in the turn, where they have something to do and a slot for it. */
  #list(endpoint: Endpoint<Job>): void {
    const { user } = endpoint
    if (!endpoint.isListed && endpoint.waiting.length > 0 && endpoint.inFlight < this.#limits.perEndpoint) {
      endpoint.isListed = true
      user.turn.push(endpoint)
    }
    if (!user.isListed && user.turn.length > 0 && user.inFlight < this.#limits.perUser) {
      user.isListed = true
      this.#turn.push(user)
    }
  }

  #go(): void {
    while (!this.#isHeld && this.#inFlight < this.#limits.slots) {
      const user = this.#turn.shift()
      if (!user) return
      user.isListed = false
      const endpoint = user.turn.shift()
      if (!endpoint) continue
      endpoint.isListed = false
      const job = endpoint.waiting.shift()
      if (job) this.#begin(endpoint, job)
      this.#list(endpoint)
      this.#forgetIfIdle(endpoint)
    }
  }

  #begin(endpoint: Endpoint<Job>, job: Job): void {
    this.#waiting--
    this.#inFlight++
    endpoint.inFlight++
    endpoint.user.inFlight++
    const begunAt = this.#now()
    void this.#run(job).finally(() => {
      this.#inFlight--
      endpoint.inFlight--
      endpoint.user.inFlight--
      endpoint.movedAt = this.#now()
      const lasted = endpoint.movedAt - begunAt
      endpoint.lasts += (lasted - endpoint.lasts) * (endpoint.lasts === 0 ? 1 : NEWEST)
      this.#list(endpoint)
      this.#forgetIfIdle(endpoint)
      this.#go()
    })
  }

  #forgetIfIdle({ user, name, waiting, inFlight, isListed }: Endpoint<Job>): void {
    if (waiting.length > 0 || inFlight > 0 || isListed) return
    user.endpoints.delete(name)
    if (user.endpoints.size === 0 && !user.isListed) this.#users.delete(user.id)
  }
}
