/**
 * Detects the abuse that locks an account (interface, section 5, as decided): too many requests in an hour, the same GET again and
 * again, or too many parallel requests again and again. One instance tracks one account. It holds the usage that this process
 * saw, and the last known usage of all processes.
 */
import { HOUR_MS } from '../time.ts'

export interface AbuseLimits {
  /** The most requests in an hour. */
  perHour: number
  /** This many equal GETs in a row lock the account, if each comes soon after the one before. */
  polls: number
  /** The most requests in flight at a time. Exceeding it in five different seconds of a minute locks the account. */
  parallel: number
}

export type Abuse = 'requests_per_hour' | 'polling' | 'parallel_requests'

/** Requests are counted in slots. A request counts for at least an hour minus one slot, and never for more than an hour. */
export const SLOT_MS = 300_000
export const SLOTS = HOUR_MS / SLOT_MS
/** Other processes may count in later slots, because clocks differ. Those still later were counted by a clock that was ahead. */
const CLOCKS_DIFFER_SLOTS = 1
export const POLL_GAP_MS = 30_000
const OVER_SECONDS = 5
export const OVER_WITHIN_S = 60

/** The newest requests, as long as they are the same GET. */
export interface Run {
  /** Identifies the request. Empty if it is not a GET. */
  signature: string
  calls: number
  /** Time of its last request, in milliseconds since 1970. */
  last_at: number
}

/** A run as one process saw it since its last report. */
export interface RunSince extends Run {
  first_at: number
  /** A different request came before it, since the last report. */
  broken: boolean
}

/** The report of one process to the others. */
export interface Seen {
  calls: ReadonlyMap<number, number>
  run: RunSince | null
  /** Requests in flight in the last complete second, if there were any. */
  parallel: { second: number; requests: number } | null
}

/** The usage that all processes saw together. */
export interface SeenByAll {
  calls: ReadonlyMap<number, number>
  run: Run | null
  overSeconds: readonly number[]
}

const isFollowedBy = (before: Run, after: RunSince): boolean =>
  !after.broken &&
  after.signature !== '' &&
  before.signature === after.signature &&
  after.first_at - before.last_at < POLL_GAP_MS

/** Appends a run to the one before it. */
const followed = (before: Run | null, after: RunSince | null): Run | null =>
  before && after && isFollowedBy(before, after) ? { ...after, calls: before.calls + after.calls } : (after ?? before)

const NOTHING: Pick<Seen, 'calls' | 'run'> = { calls: new Map(), run: null }

export class Usage {
  readonly #limits: AbuseLimits
  /** Usage of all processes when last received, the report that this process is sending, and its usage since then. */
  #ofAll: Pick<SeenByAll, 'calls' | 'run'> = { calls: new Map(), run: null }
  #reporting: Pick<Seen, 'calls' | 'run'> = NOTHING
  #calls = new Map<number, number>()
  #run: RunSince | null = null
  #inFlight = 0
  /** Keys are seconds. */
  readonly #peaks = new Map<number, number>()
  readonly #samples = new Map<number, number>()
  readonly #over = new Set<number>()
  #lastAt = 0

  constructor(limits: AbuseLimits) {
    this.#limits = limits
  }

  /**
   * Counts a new request.
   * @param signature  the same for equal GETs, empty for all other requests
   * @param at  milliseconds since 1970
   * @returns the limit that it exceeds. Null if it exceeds none.
   */
  enter(signature: string, at: number): Abuse | null {
    this.#lastAt = at
    const slot = Math.floor(at / SLOT_MS)
    this.#calls.set(slot, (this.#calls.get(slot) ?? 0) + 1)
    this.#follow(signature, at)
    this.#inFlight++
    const second = Math.floor(at / 1_000)
    this.#peaks.set(second, Math.max(this.#peaks.get(second) ?? 0, this.#inFlight))
    if (this.#inFlight > this.#limits.parallel) this.#over.add(second)
    for (const each of this.#over) if (Math.abs(second - each) >= OVER_WITHIN_S) this.#over.delete(each)
    return this.#verdict(slot)
  }

  leave(): void {
    this.#inFlight--
  }

  /** Returns the report for the other processes. `reported` or `notReported` must follow before the next call. */
  report(at: number): Seen {
    const second = Math.floor(at / 1_000)
    const before = second - 1
    const peak = this.#peaks.get(before) ?? 0
    // Peaks of different processes may be at different moments, so they are not added up. Samples of the same moment are.
    const requests = peak > this.#limits.parallel ? peak : (this.#samples.get(before) ?? 0)
    this.#samples.set(second, this.#inFlight)
    for (const each of this.#peaks.keys()) if (each < second) this.#peaks.delete(each)
    for (const each of this.#samples.keys()) if (each < second) this.#samples.delete(each)
    this.#reporting = { calls: this.#calls, run: this.#run }
    this.#calls = new Map()
    this.#run = null
    return { ...this.#reporting, parallel: requests > 0 ? { second: before, requests } : null }
  }

  /** The report was delivered, and this is the resulting usage of all processes. */
  reported({ calls, run, overSeconds }: SeenByAll): void {
    this.#ofAll = { calls, run: run ?? this.#ofAll.run }
    this.#reporting = NOTHING
    for (const second of overSeconds) this.#over.add(second)
  }

  /** The report was not delivered, so its usage is reported again, with the usage since then. */
  notReported(): void {
    const { calls, run } = this.#reporting
    this.#reporting = NOTHING
    for (const [slot, count] of calls) this.#calls.set(slot, (this.#calls.get(slot) ?? 0) + count)
    if (run && this.#run)
      this.#run = isFollowedBy(run, this.#run)
        ? { ...this.#run, calls: run.calls + this.#run.calls, first_at: run.first_at, broken: run.broken }
        : { ...this.#run, broken: true }
    else this.#run ??= run
  }

  /** Whether none of this usage still counts. */
  isOver(at: number): boolean {
    return this.#inFlight === 0 && at - this.#lastAt > HOUR_MS
  }

  #follow(signature: string, at: number): void {
    const since = this.#run
    const isSame =
      since !== null && since.signature === signature && signature !== '' && at - since.last_at < POLL_GAP_MS
    this.#run = isSame
      ? { ...since, calls: since.calls + 1, last_at: at }
      : { signature, calls: signature === '' ? 0 : 1, first_at: at, last_at: at, broken: since !== null }
  }

  #verdict(slot: number): Abuse | null {
    const { perHour, polls } = this.#limits
    let requests = 0
    for (const counts of [this.#ofAll.calls, this.#reporting.calls, this.#calls])
      for (const [each, count] of counts)
        if (each > slot - SLOTS && each <= slot + CLOCKS_DIFFER_SLOTS) requests += count
    if (requests > perHour) return 'requests_per_hour'
    const run = followed(followed(this.#ofAll.run, this.#reporting.run), this.#run)
    if (run && run.calls >= polls) return 'polling'
    return this.#over.size >= OVER_SECONDS ? 'parallel_requests' : null
  }
}
