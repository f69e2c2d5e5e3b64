/** Money and outcomes by Vietnamese day and bank, and how a rule's endpoint has done. A copy of a notification is no money. */
import type { Queryable } from '../database.ts'

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

/** Of a rule's attempts only the newest so many are looked at. */
const MOST_ATTEMPTS = 10_000

/** Moments at which the first day begins and the last one is over, as parameters 2 and 3. */
const BETWEEN = (column: string) => `${column} >= $2::timestamptz AND ${column} < $3::timestamptz`

/** @param from @param to  moments: the range without its end */
export const statisticsByDay = (database: Queryable, userId: number, from: Date, to: Date): Promise<DayRow[]> =>
  database.query<DayRow>(
    `SELECT to_char(transaction_date AT TIME ZONE 'UTC' + interval '7 hours', 'YYYY-MM-DD') AS date, bank_code, currency,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'credit'), 0)::numeric(30,2)::text AS credit,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'debit'), 0)::numeric(30,2)::text AS debit,
        count(*) AS count, count(*) FILTER (WHERE webhook_status = 'success') AS success,
        count(*) FILTER (WHERE webhook_status = 'failed') AS failed
     FROM read_model.transaction WHERE user_id = $1 AND already_run_of IS NULL AND ${BETWEEN('transaction_date')}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-day',
  )

/** By id. Times are of calls that were answered. */
export const statisticsByRule = (database: Queryable, userId: number, from: Date, to: Date): Promise<RuleRow[]> =>
  database.query<RuleRow>(
    `SELECT r.rule_id AS id, count(a.outcome) AS attempts,
        (count(*) FILTER (WHERE a.outcome = 'delivered'))::float8 / nullif(count(a.outcome), 0) AS success_rate,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p50_ms,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p95_ms,
        (array_agg(a.error ORDER BY a.created_at DESC, a.id DESC) FILTER (WHERE a.error IS NOT NULL))[1] AS last_error
     FROM read_model.rule r LEFT JOIN LATERAL (
       SELECT * FROM read_model.attempt WHERE rule_id = r.rule_id AND ${BETWEEN('created_at')}
       ORDER BY created_at DESC, id DESC LIMIT ${MOST_ATTEMPTS}) a ON true
     WHERE r.user_id = $1 GROUP BY r.rule_id ORDER BY r.rule_id`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-rule',
  )
