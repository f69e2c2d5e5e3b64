// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * Counters that several processes share exactly: one statement in Postgres per call, and none for a caller that is already
 * over its limit. While Postgres is unavailable or slow, each process continues from the count that it knows.
 */
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import type { Queryable } from '../database/database.ts'
import type { CounterFor, Used } from '../http/middleware/rate-limits.ts'
import { within } from '../system/within.ts'
import { addCalls } from './shared-windows.ts'

/** Milliseconds. A database that takes longer to answer counts as unavailable. */
const PATIENCE_MS = 1_000

/** Callers whose counts are kept in memory. */
const MOST_KNOWN = 100_000
/** Milliseconds by which two answers about the same window may differ. */
const ANSWERS_DIFFER_MS = 2_000

/** The window of a caller, as far as this process knows it. */
interface Window {
  /** The highest count that it has returned. */
  settled: number
  /** Calls since then that Postgres has not answered. */
  missed: number
  /** Calls that Postgres does not have. */
  offset: number
  /** Milliseconds of `performance.now()`. */
  ends: number
}

/** The counts of one limit in this process. */
class KnownWindows {
  readonly #windows = new BoundedMap<string, Window>(MOST_KNOWN)
  readonly #lengthMs: number

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  #of(caller: string): Window {
    const at = performance.now()
    const known = this.#windows.get(caller)
    if (known && known.ends > at) return known
    const begun = { settled: 0, missed: 0, offset: 0, ends: at + this.#lengthMs }
    this.#windows.set(caller, begun)
    return begun
  }

  known(caller: string): Used {
    const { settled, missed, ends } = this.#of(caller)
    return { calls: settled + missed, endsInMs: ends - performance.now() }
  }

  /** Postgres has counted a call. @returns the count with the calls that it may not have */
  answered(caller: string, points: number, calls: number, endsInMs: number): number {
    const window = this.#of(caller)
    const ends = performance.now() + endsInMs
    if (ends > window.ends + ANSWERS_DIFFER_MS) Object.assign(window, { settled: 0, missed: 0, offset: 0 })
    // Some of the missed calls may have been counted nevertheless.
    if (window.missed > 0) window.offset = Math.max(window.offset, window.settled + window.missed + points - calls)
    window.missed = 0
    window.ends = ends
    const used = calls + window.offset
    window.settled = Math.max(window.settled, used)
    return used
  }

  /** Postgres has not answered. */
  missed(caller: string, points: number): Used {
    this.#of(caller).missed += points
    return this.known(caller)
  }

  undo(caller: string, points: number): void {
    const window = this.#of(caller)
    window.settled = Math.max(0, window.settled - points)
  }
}

const late = () => new Error('the rate limit counters do not respond')

export const exactCounters =
  (database: Queryable): CounterFor =>
  (name, { requests, seconds }) => {
    const lengthMs = seconds * 1_000
    const windows = new KnownWindows(lengthMs)
    const add = async (caller: string, calls: number) => {
      const [window] = await within(
        PATIENCE_MS,
        addCalls(database, [{ key: `${name}:${caller}`, calls, lengthMs }]),
        late,
      )
      return window!
    }
    const count = async (caller: string, points = 1) => {
      const known = windows.known(caller)
      if (known.calls > requests) return known
      try {
        const { calls, endsInMs } = await add(caller, points)
        return { calls: windows.answered(caller, points, calls, endsInMs), endsInMs }
      } catch {
        return windows.missed(caller, points)
      }
    }
    const undo = async (caller: string, points = 1) => {
      windows.undo(caller, points)
      await add(caller, -points).catch(() => {})
    }
    return Object.assign(count, { undo })
  }
