// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * Counters that several processes share exactly: one statement in Postgres per call, and none for a caller that is already
 * over its limit. While Postgres is unavailable or slow, each process continues from the count that it knows.
 */
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import type { Queryable } from '../database/database.ts'
import type { CounterFor, Used } from '../http/middleware/rate-limits.ts'

/** Milliseconds. A database that takes longer to answer counts as unavailable. */
const PATIENCE_MS = 1_000

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/** The client interface that the library expects. */
const asClient = (database: Queryable) => ({
  query: ({ name, text, values }: Statement) =>
    new Promise<{ rows: unknown[] }>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the rate limit counters do not respond')), PATIENCE_MS)
      database
        .query(text, values, name)
        .then((rows) => resolve({ rows }), reject)
        .finally(() => clearTimeout(late))
    }),
})

/** Callers whose counts are kept in memory. */
const MOST_KNOWN = 100_000
/** Milliseconds by which two answers about the same window may differ. */
const CLOCK_SKEW_MS = 2_000

/** What this process knows about the window of a caller. */
interface Window {
  /** The highest count that it has returned. */
  settled: number
  /** Calls since then that Postgres has not answered. */
  missed: number
  /** Calls that Postgres does not have. */
  offset: number
  /** Milliseconds since 1970. */
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
    const at = Date.now()
    const known = this.#windows.get(caller)
    if (known && known.ends > at) return known
    const begun = { settled: 0, missed: 0, offset: 0, ends: at + this.#lengthMs }
    this.#windows.set(caller, begun)
    return begun
  }

  /** Postgres has counted a call. @returns the count with the calls that it may not have */
  answered(caller: string, points: number, calls: number, endsInMs: number): number {
    const window = this.#of(caller)
    const ends = Date.now() + endsInMs
    if (ends > window.ends + CLOCK_SKEW_MS) Object.assign(window, { settled: 0, missed: 0, offset: 0 })
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
    const window = this.#of(caller)
    window.missed += points
    return { calls: window.settled + window.missed, endsInMs: window.ends - Date.now() }
  }

  undo(caller: string, points: number): void {
    const window = this.#of(caller)
    window.settled = Math.max(0, window.settled - points)
  }
}

export const exactCounters = (database: Queryable): CounterFor => {
  const storeClient = asClient(database)
  return (name, { requests, seconds }) => {
    const limiter = new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: 'ops',
      tableName: 'rate_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: requests,
      duration: seconds,
      inMemoryBlockOnConsumed: requests + 1,
    })
    const windows = new KnownWindows(seconds * 1_000)
    const count = async (caller: string, points = 1) => {
      try {
        const { consumedPoints, msBeforeNext: endsInMs } = await limiter.consume(caller, points)
        return { calls: windows.answered(caller, points, consumedPoints, endsInMs), endsInMs }
      } catch (over) {
        if (over instanceof RateLimiterRes) return { calls: requests + 1, endsInMs: over.msBeforeNext }
        return windows.missed(caller, points)
      }
    }
    const undo = async (caller: string, points = 1) => {
      windows.undo(caller, points)
      await limiter.reward(caller, points).catch(() => {})
    }
    return Object.assign(count, { undo })
  }
}
