// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * The windows of rate limits that all processes share: the table `ops.rate_limit`. Their times are the database's, and callers get only
 * durations. So neither clocks that differ nor a clock that is corrected can make a window longer.
 */
import { type ScheduledJob, removing } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'
import { columnsOf } from '../database/columns.ts'

export interface AddedCalls {
  /** The limit and the caller. */
  key: string
  /** Less than 0 to subtract. */
  calls: number
  /** Length of the limit's windows, in milliseconds. */
  lengthMs: number
}

export interface SharedWindow {
  key: string
  /** Calls in all processes. */
  calls: number
  endsInMs: number
}

const NOW_MS = '(extract(epoch FROM now()) * 1000)::bigint'
/** `now()` is the time at which the statement began. Another process may have begun the window since then. */
const ANSWERED_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Milliseconds. A window that ends later than a new one by more than this was begun by a clock that was ahead. */
const CLOCKS_DIFFER_MS = 2_000

const IS_OVER = `(r.expire <= ${NOW_MS} OR r.expire > excluded.expire + ${CLOCKS_DIFFER_MS})`

/** A window that is over starts again. If calls are subtracted from a window that was removed, its points are less than 0, which means 0. */
const ADD = `
INSERT INTO ops.rate_limit AS r (key, points, expire)
SELECT key, points, ${NOW_MS} + length_ms FROM unnest($1::text[], $2::integer[], $3::bigint[]) AS added (key, points, length_ms)
ON CONFLICT (key) DO UPDATE SET
  points = greatest(0, CASE WHEN ${IS_OVER} THEN excluded.points ELSE greatest(0, r.points) + excluded.points END),
  expire = CASE WHEN ${IS_OVER} THEN excluded.expire ELSE r.expire END
RETURNING key, greatest(0, points) AS calls, expire - ${ANSWERED_MS} AS "endsInMs"`

const SWEEP = `DELETE FROM ops.rate_limit WHERE expire < ${NOW_MS} RETURNING 1`

/** Adds calls to the windows of these keys, each at most once. @returns their windows, in any order */
export const addCalls = (database: Queryable, added: readonly AddedCalls[]): Promise<SharedWindow[]> => {
  // Sorted, so that two processes lock rows in the same order.
  const sorted = added.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return database.query<SharedWindow>(ADD, columnsOf(sorted, 'key', 'calls', 'lengthMs'), 'rate-limit-add')
}

/** Deletes windows that are over. */
export const sweepRateLimits = (database: Queryable): ScheduledJob =>
  removing('sweep_rate_limits', '*/10 * * * *', async () => (await database.query(SWEEP)).length)
