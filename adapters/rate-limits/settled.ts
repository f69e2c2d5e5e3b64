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

const SETTLE_EVERY_MS = 1_000
/** Windows kept in memory: about 20 MB. */
const MOST_WINDOWS = 100_000
/** The most callers in one statement. */
const AT_A_TIME = 5_000

interface Window {
  /** Milliseconds since 1970. */
  ends: number
  /** Calls in all processes, as of the last settlement. */
  settled: number
  /** Calls in this process since then. */
  pending: number
}

/** The same rule as for the other limits in this table: an expired window starts again. */
const SETTLE = `
INSERT INTO ops.rate_limit AS r (key, points, expire)
SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[])
ON CONFLICT (key) DO UPDATE SET
  points = greatest(0, CASE WHEN r.expire <= $4 THEN excluded.points ELSE r.points + excluded.points END),
  expire = CASE WHEN r.expire <= $4 THEN excluded.expire ELSE r.expire END
RETURNING key, points, expire`

export interface SettledCounters {
  counterFor: CounterFor
  /** Settles pending counts now. @throws if the database does not answer; the counts stay pending */
  settle(): Promise<void>
  /** Settles every second until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/** @param now  milliseconds since 1970 */
export const settledCounters = (database: Queryable, now: () => number = Date.now): SettledCounters => {
  // Strangers with many addresses must not fill the memory.
  const windows = new BoundedMap<string, Window>(MOST_WINDOWS)

  const windowOf = (key: string, { seconds }: RateLimit, at: number): Window => {
    const known = windows.get(key)
    if (known && known.ends > at) return known
    const begun = { ends: at + seconds * 1_000, settled: 0, pending: 0 }
    windows.set(key, begun)
    return begun
  }

  const settleSome = async (open: readonly [string, Window][], at: number): Promise<void> => {
    // Sorted, so that two processes lock rows in the same order.
    const sent = open
      .map(([key, window]) => ({ key, window, calls: window.pending }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
    const rows = await database.query<{ key: string; points: number; expire: number }>(
      SETTLE,
      [sent.map(({ key }) => key), sent.map(({ calls }) => calls), sent.map(({ window }) => window.ends), at],
      'rate-limit-settle',
    )
    const settled = new Map(rows.map((row) => [row.key, row]))
    for (const { key, window, calls } of sent) {
      const row = settled.get(key)!
      window.pending -= calls
      window.settled = row.points
      window.ends = row.expire
    }
  }

  const settle = async (): Promise<void> => {
    const at = now()
    // Counts of a past window are dropped.
    for (const [key, { ends }] of windows) if (ends <= at) windows.delete(key)
    const open = [...windows].filter(([, { pending }]) => pending !== 0)
    for (let from = 0; from < open.length; from += AT_A_TIME) await settleSome(open.slice(from, from + AT_A_TIME), at)
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
        windowOf(`${name}:${caller}`, limit, now()).pending -= points
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
