/**
 * A circuit breaker in front of the event store, one per process. It also limits how long a request waits.
 *
 * The store is **silent** while calls wait for it and none of them is answered. Any answer ends the silence, so a slow store is never taken
 * for one that is away. During a silence, a small read probes the store: it tells a store that does not answer from a single call that
 * takes long. After `openAfterMs` of silence the breaker opens. Requests are then refused at once, including those that are already
 * waiting. Background work waits, and continues when the probe is answered.
 *
 * The outcome of a refused append may be unknown, as after every `StoreUnavailable`. The caller may send it again.
 */
import { MOST_WAIT_MS, StoreAway, StoreUnavailable } from '../../domain/errors.ts'
import { INSTALLATION_STREAM } from '../../domain/installation.ts'
import type { EventStore } from '../../domain/ports.ts'
import { awakeNow } from '../system/awake.ts'

export interface Outage {
  /** Milliseconds since the last answer. */
  silent_ms: number
  /** Calls of requests that were refused at once. */
  refused: number
  /** Calls of requests that waited in vain. */
  given_up: number
}

export interface BreakerOptions {
  /** A call of a request is given up after this time. All times are milliseconds, and count only while this process runs. */
  mostWaitMs?: number
  /** The breaker opens after this time of silence. */
  openAfterMs?: number
  probeAfterMs?: number
  /** A longer silence is an outage, which is reported once when it begins and once when it ends. */
  outageAfterMs?: number
  onOutage?: (outage: Outage) => void
  onRecovered?: (outage: Outage) => void
}

export interface GuardedStore {
  /** For background work: calls wait while the store is away. */
  store: EventStore
  /** For requests: calls are refused at once while the store is away. */
  requestStore: EventStore
  /** How long the store has been silent, in milliseconds. */
  silentMs(): number
  isOpen(): boolean
  /** Ends the probing. Calls that wait for the store are refused. */
  end(): Promise<void>
}

/** More often than a caller could notice. */
const LOOK_EVERY_MS = 100

const PROBE = [{ stream: INSTALLATION_STREAM, limit: 1 }]

/** A request that waits for its answer, or background work that waits for the breaker to close. */
interface Waiting {
  isRequest: boolean
  giveUpAt: number
  reject: (error: StoreUnavailable) => void
}

class CircuitBreaker {
  readonly #probe: () => Promise<unknown>
  readonly #options: Required<BreakerOptions>
  readonly #waiting = new Set<Waiting>()
  /** Calls without an answer. */
  #pending = 0
  #silentSince: number | null = null
  #isProbing = false
  #isReported = false
  #refused = 0
  #givenUp = 0
  /** While the breaker is open: resolves when it closes. */
  #closing: { closed: Promise<void>; close: () => void } | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(probe: () => Promise<unknown>, options: Required<BreakerOptions>) {
    this.#probe = probe
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#closing !== null
  }

  get silentMs(): number {
    return this.#silentSince === null ? 0 : awakeNow() - this.#silentSince
  }

  async request<Result>(call: () => Promise<Result>): Promise<Result> {
    if (!this.isOpen) return this.#within(() => this.#counted(call), true)
    this.#refused++
    throw this.#away()
  }

  async background<Result>(call: () => Promise<Result>): Promise<Result> {
    while (this.#closing) {
      const { closed } = this.#closing
      await this.#within(() => closed, false)
    }
    return this.#counted(call)
  }

  /** The store is closed: nothing is probed, and nothing waits. */
  end(): void {
    this.#stopLooking()
    this.#giveUp(() => true)
    this.#closing = null
  }

  async #counted<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#pending++
    this.#silentSince ??= awakeNow()
    this.#keepLooking()
    let isAnswered = false
    try {
      const result = await call()
      isAnswered = true
      return result
    } finally {
      this.#pending--
      // After an error, the probe finds out whether the store responds.
      if (isAnswered) this.#answered()
    }
  }

  /** The caller stops waiting after `mostWaitMs`, whatever becomes of the work. */
  #within<Result>(work: () => Promise<Result>, isRequest: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { isRequest, giveUpAt: awakeNow() + this.#options.mostWaitMs, reject }
      this.#waiting.add(waiting)
      void work()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(waiting))
    })
  }

  #answered(): void {
    const outage = this.#outage()
    this.#silentSince = this.#pending > 0 ? awakeNow() : null
    if (this.#isReported) this.#options.onRecovered(outage)
    this.#isReported = false
    this.#refused = this.#givenUp = 0
    this.#closing?.close()
    this.#closing = null
  }

  #keepLooking(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  #stopLooking(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    const { openAfterMs, probeAfterMs, outageAfterMs, onOutage } = this.#options
    const now = awakeNow()
    this.#giveUp(({ giveUpAt }) => giveUpAt <= now)
    if (this.#silentSince === null) return this.#stopLooking()
    const silent = this.silentMs
    if (silent >= probeAfterMs) void this.#probeStore()
    if (silent >= openAfterMs && !this.isOpen) this.#open()
    if (silent < outageAfterMs || this.#isReported) return
    this.#isReported = true
    onOutage(this.#outage())
  }

  async #probeStore(): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    try {
      await this.#probe()
    } catch (error) {
      // A store that refuses the probe responds.
      if (error instanceof StoreUnavailable) return
    } finally {
      this.#isProbing = false
    }
    this.#answered()
  }

  #open(): void {
    let close = (): void => {}
    this.#closing = { closed: new Promise((resolve) => (close = resolve)), close: () => close() }
    this.#giveUp(({ isRequest }) => isRequest)
  }

  #giveUp(isOver: (waiting: Waiting) => boolean): void {
    for (const waiting of this.#waiting) {
      if (!isOver(waiting)) continue
      this.#waiting.delete(waiting)
      if (waiting.isRequest) this.#givenUp++
      waiting.reject(this.#away())
    }
  }

  #away(): StoreUnavailable {
    if (!this.#isReported) return new StoreUnavailable('the event store did not answer in time')
    return new StoreAway(`the event store has not responded for ${Math.round(this.silentMs / 1_000)} s`)
  }

  #outage(): Outage {
    return { silent_ms: Math.round(this.silentMs), refused: this.#refused, given_up: this.#givenUp }
  }
}

/**
 * @param store  its own deadline should not be shorter than `mostWaitMs`
 * @returns two views of the store, which share the breaker
 */
export const guardStore = (
  store: EventStore,
  {
    mostWaitMs = MOST_WAIT_MS,
    openAfterMs = 10_000,
    probeAfterMs = 1_000,
    outageAfterMs = 4_000,
    onOutage = () => {},
    onRecovered = () => {},
  }: BreakerOptions,
): GuardedStore => {
  const options = { mostWaitMs, openAfterMs, probeAfterMs, outageAfterMs, onOutage, onRecovered }
  const breaker = new CircuitBreaker(() => store.read(PROBE), options)
  const through = (wait: <Result>(call: () => Promise<Result>) => Promise<Result>): EventStore => ({
    ...store,
    append: (units) => wait(() => store.append(units)),
    read: (slices) => wait(() => store.read(slices)),
    readAll: (...asked) => wait(() => store.readAll(...asked)),
    end: () => wait(() => store.end()),
  })
  return {
    store: through((call) => breaker.background(call)),
    requestStore: through((call) => breaker.request(call)),
    silentMs: () => breaker.silentMs,
    isOpen: () => breaker.isOpen,
    end: async () => breaker.end(),
  }
}
