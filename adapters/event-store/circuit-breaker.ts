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
import { eachCall } from '../system/each-call.ts'
import { Silence } from './silence.ts'
import { WaitingCalls, type Waiting } from './waiting-calls.ts'

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

class CircuitBreaker {
  readonly #store: EventStore
  readonly #options: Required<BreakerOptions>
  readonly #waiting: WaitingCalls
  readonly #silence = new Silence()
  #isProbing = false
  #isReported = false
  #refused = 0
  #givenUp = 0
  /** While the breaker is open: resolves when it closes. */
  #closing: { closed: Promise<void>; close: () => void } | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(store: EventStore, options: Required<BreakerOptions>) {
    this.#store = store
    this.#options = options
    this.#waiting = new WaitingCalls(options.mostWaitMs)
  }

  get isOpen(): boolean {
    return this.#closing !== null
  }

  get silentMs(): number {
    return this.#silence.ms
  }

  /** @throws {StoreUnavailable} at once while the breaker is open, and after `mostWaitMs` */
  async request<Result>(call: () => Promise<Result>): Promise<Result> {
    if (!this.isOpen) return this.#waiting.within(() => this.#counted(call), true)
    this.#refused++
    throw this.#away()
  }

  /** Waits while the breaker is open. @throws {StoreUnavailable} if it waits for longer than `mostWaitMs` */
  async background<Result>(call: () => Promise<Result>): Promise<Result> {
    while (this.#closing) {
      const { closed } = this.#closing
      await this.#waiting.within(() => closed, false)
    }
    return this.#counted(call)
  }

  end(): void {
    this.#stopLooking()
    this.#giveUp(() => true)
    this.#closing = null
  }

  async #counted<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#silence.callBegan()
    this.#keepLooking()
    let isAnswered = false
    try {
      const result = await call()
      isAnswered = true
      return result
    } finally {
      this.#silence.callEnded()
      // After an error, the probe finds out whether the store responds.
      if (isAnswered) this.#answered()
    }
  }

  #answered(): void {
    const outage = this.#outage()
    this.#silence.answered()
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
    const { probeAfterMs, openAfterMs, outageAfterMs, onOutage } = this.#options
    const now = awakeNow()
    this.#giveUp(({ giveUpAt }) => giveUpAt <= now)
    if (!this.#silence.isOn) return this.#stopLooking()
    const silent = this.silentMs
    if (silent >= probeAfterMs) void this.#probe()
    if (silent >= openAfterMs && !this.isOpen) this.#open()
    if (silent < outageAfterMs || this.#isReported) return
    this.#isReported = true
    onOutage(this.#outage())
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    try {
      await this.#store.read(PROBE)
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
    this.#givenUp += this.#waiting.giveUp(isOver, () => this.#away())
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
  const times = { mostWaitMs, openAfterMs, probeAfterMs, outageAfterMs }
  const breaker = new CircuitBreaker(store, { ...times, onOutage, onRecovered })
  return {
    store: eachCall(store, (call) => breaker.background(call)),
    requestStore: eachCall(store, (call) => breaker.request(call)),
    silentMs: () => breaker.silentMs,
    isOpen: () => breaker.isOpen,
    end: async () => breaker.end(),
  }
}
