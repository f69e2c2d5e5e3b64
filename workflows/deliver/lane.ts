/**
 * Room for calls of one kind. Slots rotate among users and, within a user, among endpoints, so that no call waits for
 * another user's or endpoint's backlog. The slots of an endpoint (scheme, host and port, per user) and of a user are
 * limited, so an endpoint that hangs holds only its own slots. The number of waiting calls is limited too: `free` is
 * how many may still be claimed.
 */

export interface LaneLimits {
  /** Calls waiting and in flight together. */
  room: number
  /** Calls in flight. */
  slots: number
  /** Calls in flight per user. */
  perUser: number
  /** Calls in flight per endpoint. */
  perEndpoint: number
  /** Waiting calls per endpoint. Above it, the endpoint's rules are full. */
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
  /** When one of its calls last ended, and how long its recent calls lasted: milliseconds. */
  movedAt: number
  lasts: number
  isListed: boolean
}

interface User<Job> {
  id: number
  endpoints: Map<string, Endpoint<Job>>
  /** Endpoints with a waiting call and a free slot. The first one is next. */
  turn: Endpoint<Job>[]
  inFlight: number
  isListed: boolean
}

/** An endpoint whose slots are all taken is stuck if no call has ended for this long: milliseconds. */
const STUCK_AFTER = 1_000

/**
 * An endpoint is slow if its waiting calls will take this long: milliseconds. The calls that it does not get are left
 * to the queue for the rest of a minute, so a burst should not make it slow: 256 waiting calls of a second each, 64 at
 * a time, do not.
 */
const SLOW_AFTER = 5_000

/** The weight of the newest call in the average duration. */
const NEWEST = 1 / 8

/** A user may have this many calls here, however full the lane is. */
const A_FEW = 8

export class Lane<Job extends LaneJob> {
  readonly #limits: LaneLimits
  readonly #run: (job: Job) => Promise<void>
  readonly #now: () => number
  readonly #users = new Map<number, User<Job>>()
  /** Users with an endpoint in their turn. The first one is next. */
  #turn: User<Job>[] = []
  #waiting = 0
  #inFlight = 0
  #isHeld = false

  /**
   * @param run  makes the call and passes on its result; never throws
   * @param now  a monotonic clock: milliseconds
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

  /** While held, no call begins. Calls in flight continue. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#go()
  }

  /** Removes the chosen waiting jobs. */
  takeOut(chosen: (job: Job) => boolean): Job[] {
    const out: Job[] = []
    for (const user of this.#users.values())
      for (const endpoint of user.endpoints.values()) {
        out.push(...endpoint.waiting.filter(chosen))
        endpoint.waiting = endpoint.waiting.filter((job) => !chosen(job))
      }
    this.#waiting -= out.length
    return out
  }

  jobsWaiting(): Job[] {
    return [...this.#endpoints()].flatMap((endpoint) => endpoint.waiting)
  }

  /** Rules whose endpoints have no more room. */
  fullRules(): number[] {
    return [...this.#endpoints()]
      .filter((endpoint) => this.#isFull(endpoint))
      .flatMap((endpoint) => [...endpoint.rules])
  }

  /** A user's share of the room: as much of it as of the slots. More would wait here in vain, and others elsewhere. */
  get share(): number {
    const { room, slots, perUser } = this.#limits
    return Math.ceil((room * perUser) / slots)
  }

  /** The rest of the share of each user who has calls here. */
  sharesLeft(): { user_id: number; left: number }[] {
    const callsOf = ({ inFlight, endpoints }: User<Job>) =>
      [...endpoints.values()].reduce((sum, { waiting }) => sum + waiting.length, inFlight)
    return [...this.#users.values()].map((user) => ({
      user_id: user.id,
      left: Math.max(0, this.share - callsOf(user)),
    }))
  }

  /**
   * How many more of a user's calls may be claimed. If an endpoint is full but making progress, the answer is 0: it is
   * worth waiting for. A stuck or slow endpoint is not, because the user's other endpoints would wait with it. Its
   * rules are full, and its calls are left to the queue. A user with nothing waiting here gets a few calls in even if
   * other users have taken all the room.
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

  /** Puts an endpoint and its user into the turn, if they have a waiting call and a free slot for it. */
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
      const endpoint = user.turn.shift()!
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
    if (user.endpoints.size === 0) this.#users.delete(user.id)
  }
}
