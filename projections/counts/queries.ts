// Tests: tests/integration/projections/counts.test.ts
/**
 * Amounts and outcomes by Vietnamese day and bank, and the results of each rule's endpoint. A copy of a notification
 * does not count as money.
 */
import type { Queryable } from '../engine/queryable.ts'
import { VIETNAMESE_DAY } from '../transaction/fields.ts'

export interface DayRow {
  date: string
  bank_code: string
  currency: string
  credit: string
  debit: string
  count: number
  success: number
  failed: number
}

export interface RuleRow {
  id: number
  attempts: number
  success_rate: number | null
  p50_ms: number | null
  p95_ms: number | null
  last_error: string | null
}

/** Only this many of the newest attempts of a rule are read. */
const MOST_ATTEMPTS = 10_000

/** SQL for the Vietnamese day of a moment. */
const dayOf = (parameter: string) => `(${parameter}::timestamptz AT TIME ZONE 'UTC' + interval '7 hours')::date`

/** @param from  @param to moments; `to` is exclusive */
export const statisticsByDay = (database: Queryable, userId: number, from: Date, to: Date): Promise<DayRow[]> =>
  database.query<DayRow>(
    `SELECT to_char(${VIETNAMESE_DAY}, 'YYYY-MM-DD') AS date, bank_code, currency,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'credit'), 0)::numeric(30,2)::text AS credit,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'debit'), 0)::numeric(30,2)::text AS debit,
        count(*) AS count, count(*) FILTER (WHERE webhook_status = 'success') AS success,
        count(*) FILTER (WHERE webhook_status = 'failed') AS failed
     FROM read_model.transaction WHERE user_id = $1 AND already_run_of IS NULL
       AND ${VIETNAMESE_DAY} >= ${dayOf('$2')} AND ${VIETNAMESE_DAY} < ${dayOf('$3')}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-day',
  )

/** Sorted by id. The durations are of answered calls only. */
export const statisticsByRule = (database: Queryable, userId: number, from: Date, to: Date): Promise<RuleRow[]> =>
  database.query<RuleRow>(
    `SELECT r.rule_id AS id, count(a.outcome) AS attempts,
        (count(*) FILTER (WHERE a.outcome = 'delivered'))::float8 / nullif(count(a.outcome), 0) AS success_rate,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p50_ms,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p95_ms,
        (array_agg(a.error ORDER BY a.created_at DESC, a.id DESC) FILTER (WHERE a.error IS NOT NULL))[1] AS last_error
     FROM read_model.rule r LEFT JOIN LATERAL (
       SELECT * FROM read_model.attempt WHERE rule_id = r.rule_id AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
       ORDER BY created_at DESC, id DESC LIMIT ${MOST_ATTEMPTS}) a ON true
     WHERE r.user_id = $1 GROUP BY r.rule_id ORDER BY r.rule_id`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-rule',
  )
