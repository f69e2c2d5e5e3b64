// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * Counters for the hot path. A call is counted in memory, without a database query. Once a second, all counts are settled
 * with the other processes in one statement, whatever the number of calls. So with P processes a caller may get at most P
 * times the limit, and only if its calls arrive within that second; with one process the limit is exact. While Postgres is
 * unavailable, each process counts by itself, and settles when Postgres is back.
 */
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import type { CounterFor, RateLimit } from '../http/middleware/rate-limits.ts'
import type { Queryable } from '../database/database.ts'
import { addCalls } from './shared-windows.ts'

const SETTLE_EVERY_MS = 1_000
/** Windows kept in memory: about 20 MB. */
const MOST_WINDOWS = 100_000
/** The most callers in one statement. */
const AT_A_TIME = 5_000

interface Window {
  lengthMs: number
  /** Milliseconds of `performance.now()`. */
  ends: number
  /** Calls in all processes, as of the last settlement. */
  settled: number
  /** Calls in this process since then. */
  pending: number
}

export interface SettledCounters {
  counterFor: CounterFor
  /** Settles pending counts now. @throws if the database does not answer; the counts stay pending */
  settle(): Promise<void>
  /** Settles every second until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/** @param now  milliseconds of a clock that never jumps */
export const settledCounters = (database: Queryable, now = () => performance.now()): SettledCounters => {
  // Strangers with many addresses must not fill the memory.
  const windows = new BoundedMap<string, Window>(MOST_WINDOWS)

  const windowOf = (key: string, { seconds }: RateLimit, at: number): Window => {
    const known = windows.get(key)
    if (known && known.ends > at) return known
    const lengthMs = seconds * 1_000
    const begun = { lengthMs, ends: at + lengthMs, settled: 0, pending: 0 }
    windows.set(key, begun)
    return begun
  }

  const settleSome = async (open: readonly [string, Window][]): Promise<void> => {
    const sent = open.map(([key, window]) => ({ key, window, calls: window.pending, lengthMs: window.lengthMs }))
    const shared = new Map((await addCalls(database, sent)).map((each) => [each.key, each]))
    for (const { key, window, calls: added } of sent) {
      const { calls, endsInMs } = shared.get(key)!
      window.pending -= added
      window.settled = calls
      window.ends = now() + endsInMs
    }
  }

  const settle = async (): Promise<void> => {
    const at = now()
    // Counts of a past window are dropped.
    for (const [key, { ends }] of windows) if (ends <= at) windows.delete(key)
    const open = [...windows].filter(([, { pending }]) => pending !== 0)
    for (let from = 0; from < open.length; from += AT_A_TIME) await settleSome(open.slice(from, from + AT_A_TIME))
  }

  return {
    counterFor: (name, limit) => {
      const count = (caller: string, points = 1) => {
        const at = now()
        const window = windowOf(`${name}:${caller}`, limit, at)
        const used = window.settled + window.pending
        if (points > 1 && used + points > limit.requests) return { calls: used + points, endsInMs: window.ends - at }
        // A caller over its limit is not counted further, so it causes no more statements.
        if (used <= limit.requests) window.pending += points
        return { calls: window.settled + window.pending, endsInMs: window.ends - at }
      }
      const undo = (caller: string, points = 1) => {
        const window = windowOf(`${name}:${caller}`, limit, now())
        // The window in which they were counted may be over.
        window.pending = Math.max(window.pending - points, -window.settled)
      }
      return Object.assign(count, { undo })
    },
    settle,
    run: async (signal) => {
      while (!signal.aborted) {
        await settle().catch(() => {})
        await waitUnlessAborted(SETTLE_EVERY_MS, signal)
      }
    },
  }
}
