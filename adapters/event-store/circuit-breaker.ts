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
  const allWaiting = new Set<Waiting>()
  /** Calls without an answer. */
  let pending = 0
  let silentSince: number | null = null
  let isProbing = false
  let isReported = false
  let refused = 0
  let givenUp = 0
  /** While the breaker is open: resolves when it closes. */
  let closing: { closed: Promise<void>; close: () => void } | null = null
  let timer: NodeJS.Timeout | null = null

  const isOpen = (): boolean => closing !== null

  const silentMs = (): number => (silentSince === null ? 0 : awakeNow() - silentSince)

  const request = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (!isOpen()) return within(() => counted(call), true)
    refused++
    throw away()
  }

  const background = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    while (closing) {
      const { closed } = closing
      await within(() => closed, false)
    }
    return counted(call)
  }

  const counted = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    pending++
    silentSince ??= awakeNow()
    keepLooking()
    let isAnswered = false
    try {
      const result = await call()
      isAnswered = true
      return result
    } finally {
      pending--
      // After an error, the probe finds out whether the store responds.
      if (isAnswered) answered()
    }
  }

  /** The caller stops waiting after `mostWaitMs`, whatever becomes of the work. */
  const within = <Result>(work: () => Promise<Result>, isRequest: boolean): Promise<Result> =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = { isRequest, giveUpAt: awakeNow() + mostWaitMs, reject }
      allWaiting.add(waiting)
      void work()
        .then(resolve, reject)
        .finally(() => allWaiting.delete(waiting))
    })

  const answered = (): void => {
    const outage = outageNow()
    silentSince = pending > 0 ? awakeNow() : null
    if (isReported) onRecovered(outage)
    isReported = false
    refused = givenUp = 0
    closing?.close()
    closing = null
  }

  const keepLooking = (): void => {
    if (timer) return
    timer = setInterval(() => look(), LOOK_EVERY_MS)
    timer.unref()
  }

  const stopLooking = (): void => {
    if (timer) clearInterval(timer)
    timer = null
  }

  const look = (): void => {
    const now = awakeNow()
    giveUp(({ giveUpAt }) => giveUpAt <= now)
    if (silentSince === null) return stopLooking()
    const silent = silentMs()
    if (silent >= probeAfterMs) void probeStore()
    if (silent >= openAfterMs && !isOpen()) open()
    if (silent < outageAfterMs || isReported) return
    isReported = true
    onOutage(outageNow())
  }

  const probeStore = async (): Promise<void> => {
    if (isProbing) return
    isProbing = true
    try {
      await store.read(PROBE)
    } catch (error) {
      // A store that refuses the probe responds.
      if (error instanceof StoreUnavailable) return
    } finally {
      isProbing = false
    }
    answered()
  }

  const open = (): void => {
    let close = (): void => {}
    closing = { closed: new Promise((resolve) => (close = resolve)), close: () => close() }
    giveUp(({ isRequest }) => isRequest)
  }

  const giveUp = (isOver: (waiting: Waiting) => boolean): void => {
    for (const waiting of allWaiting) {
      if (!isOver(waiting)) continue
      allWaiting.delete(waiting)
      if (waiting.isRequest) givenUp++
      waiting.reject(away())
    }
  }

  const away = (): StoreUnavailable => {
    if (!isReported) return new StoreUnavailable('the event store did not answer in time')
    return new StoreAway(`the event store has not responded for ${Math.round(silentMs() / 1_000)} s`)
  }

  const outageNow = (): Outage => ({ silent_ms: Math.round(silentMs()), refused, given_up: givenUp })

  return {
    store: eachCall(store, background),
    requestStore: eachCall(store, request),
    silentMs,
    isOpen,
    end: async () => {
      stopLooking()
      giveUp(() => true)
      closing = null
    },
  }
}
