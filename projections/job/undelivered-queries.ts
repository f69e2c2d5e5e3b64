// Tests: tests/integration/http/undelivered.test.ts
/**
 * Undelivered transactions, in groups by rule, status and class of the last error. A group counts what a bulk retry with the same
 * filter makes due. The transactions are found by the index of their status, their deliveries and last attempts by key. Failed
 * deliveries are also looked for in pending transactions, in which another webhook still waits.
 */
import type { JobFilter } from '../../domain/job/events.ts'
import type { Queryable } from '../engine/queryable.ts'
import { LAST_ERROR, selectionOf } from './selection.ts'

export interface UndeliveredGroup {
  rule_id: number
  status: 'failed' | 'pending'
  /** Null before the first attempt. */
  error: string | null
  count: number
  /** When the oldest was captured, and which it is. */
  oldest_at: string
  oldest_transaction_id: number
  /** The next attempt of the group. Null if there is none. */
  next_attempt_at: string | null
}

/** Only the newest transactions of each status are examined. */
const MOST = 50_000

/** First attempts made a moment ago are not late yet: seconds. */
const ON_THEIR_WAY = 65

type Row = Omit<UndeliveredGroup, 'status'> & { examined: null }

/** The row without a rule says only how many transactions were examined, of the status that has most of them. */
type Found = { rule_id: null; examined: number } | Row

const groupsOf = async (database: Queryable, userId: number, filter: JobFilter, most: number) => {
  const { values, ofTransactions, ofDelivery } = selectionOf(userId, filter)
  const newest = ofTransactions.map(
    (of) => `(SELECT t.id, t.created_at, t.webhook_status FROM read_model.transaction t WHERE ${of}
       ORDER BY t.created_at DESC, t.id DESC LIMIT ${most})`,
  )
  // `OFFSET 0` keeps the planner from scanning all deliveries.
  const found = await database.query<Found>(
    `WITH found AS MATERIALIZED (${newest.join(' UNION ALL ')}), late AS (
       SELECT f.id, f.created_at, d.rule_id, d.due_at, ${LAST_ERROR} AS error
       FROM found f CROSS JOIN LATERAL (
         SELECT * FROM read_model.delivery WHERE transaction_id = f.id OFFSET 0
       ) d
       WHERE ${ofDelivery('f')} AND (d.lane IS DISTINCT FROM 'first' OR f.created_at < now() - interval '${ON_THEIR_WAY} seconds')
     )
     SELECT rule_id, error, count(*) AS count, min(created_at) AS oldest_at,
       (array_agg(id ORDER BY created_at, id))[1] AS oldest_transaction_id, min(due_at) AS next_attempt_at, NULL AS examined
     FROM late GROUP BY rule_id, error
     UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, coalesce(max(count), 0)
     FROM (SELECT count(*) FROM found GROUP BY webhook_status) AS each`,
    values,
  )
  return {
    rows: found.filter((each): each is Row => each.rule_id !== null),
    isComplete: found.every((each) => each.rule_id !== null || each.examined < most),
  }
}

/**
 * Those with the oldest transaction first.
 * @returns `complete` is false if there are more transactions than are examined
 */
export const undeliveredGroups = async (
  database: Queryable,
  userId: number,
  { status, ...filter }: JobFilter & { status?: UndeliveredGroup['status'] | undefined },
  most = MOST,
): Promise<{ groups: UndeliveredGroup[]; complete: boolean }> => {
  const statuses = status === undefined ? (['failed', 'pending'] as const) : [status]
  const found = await Promise.all(
    statuses.map(async (each) => ({
      status: each,
      ...(await groupsOf(database, userId, { ...filter, status: each }, most)),
    })),
  )
  const groups = found.flatMap(({ status, rows }) =>
    rows.map(({ examined: _, ...group }): UndeliveredGroup => ({ ...group, status })),
  )
  return {
    groups: groups.sort((a, b) => Date.parse(a.oldest_at) - Date.parse(b.oldest_at) || a.rule_id - b.rule_id),
    complete: found.every(({ isComplete }) => isComplete),
  }
}

/** The usual duration is measured with this many attempts of each rule. */
const RECENT = 1_000

/** How long a delivered call of each rule usually takes, milliseconds. Rules without one are missing. */
export const usualDurations = async (
  database: Queryable,
  userId: number,
  rules: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  const rows = await database.query<{ rule_id: number; duration_ms: number | null }>(
    `SELECT rule_id, (
       SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY recent.duration_ms) FROM (
         SELECT a.duration_ms, a.outcome FROM read_model.attempt a WHERE a.rule_id = wanted.rule_id AND a.user_id = $1
         ORDER BY a.created_at DESC, a.id DESC LIMIT ${RECENT}) recent
       WHERE recent.outcome = 'delivered') AS duration_ms
     FROM unnest($2::bigint[]) AS wanted (rule_id)`,
    [userId, rules],
  )
  return new Map(rows.flatMap(({ rule_id, duration_ms }) => (duration_ms === null ? [] : [[rule_id, duration_ms]])))
}
