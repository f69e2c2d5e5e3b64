// Tests: tests/integration/http/stats.test.ts
/**
 * Amounts and outcomes by Vietnamese day and bank, and the results of each rule's endpoint. A copy of a notification
 * does not count as money.
 */
import { HOUR_MS } from '../../domain/time.ts'
import type { Queryable } from '../engine/queryable.ts'
import { VIETNAMESE_DAY, vietnameseDay } from '../transaction/fields.ts'

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

export interface HourRow {
  /** The start of the hour. It ends an hour later, or at the end of the range. */
  from: string
  /** Null if older attempts of this hour were not read. */
  delivered: number | null
  failed: number | null
}

export interface RuleByHourRow extends RuleRow {
  /** Oldest first, one for each hour of the range. */
  hours: HourRow[]
}

/** Only this many of the newest attempts of a rule are read. */
const MOST_ATTEMPTS = 10_000

/** @param from  @param to moments; `to` is exclusive */
export const statisticsByDay = (database: Queryable, userId: number, from: Date, to: Date): Promise<DayRow[]> =>
  database.query<DayRow>(
    `SELECT to_char(${VIETNAMESE_DAY}, 'YYYY-MM-DD') AS date, bank_code, currency,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'credit'), 0)::numeric(30,2)::text AS credit,
        coalesce(sum(amount) FILTER (WHERE transaction_type = 'debit'), 0)::numeric(30,2)::text AS debit,
        count(*) AS count, count(*) FILTER (WHERE webhook_status = 'success') AS success,
        count(*) FILTER (WHERE webhook_status = 'failed') AS failed
     FROM read_model.transaction WHERE user_id = $1 AND already_run_of IS NULL
       AND ${VIETNAMESE_DAY} >= ${vietnameseDay('$2::timestamptz')} AND ${VIETNAMESE_DAY} < ${vietnameseDay('$3::timestamptz')}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-day',
  )

/** The durations are of answered calls only. */
const FIGURES = `count(a.outcome) AS attempts,
  (count(*) FILTER (WHERE a.outcome = 'delivered'))::float8 / nullif(count(a.outcome), 0) AS success_rate,
  percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p50_ms,
  percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) FILTER (WHERE a.http_status > 0) AS p95_ms,
  (array_agg(a.error ORDER BY a.created_at DESC, a.id DESC) FILTER (WHERE a.error IS NOT NULL))[1] AS last_error`

/** The rules of a user, $1, with their newest attempts from $2 to $3, by the index of a rule's log. */
const RULES_AND_ATTEMPTS = `read_model.rule r LEFT JOIN LATERAL (
  SELECT id, outcome, http_status, duration_ms, error, created_at,
    floor(extract(epoch FROM created_at - $2::timestamptz) * 1000 / ${HOUR_MS})::integer AS hour
  FROM read_model.attempt WHERE rule_id = r.rule_id AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
  ORDER BY created_at DESC, id DESC LIMIT ${MOST_ATTEMPTS}) a ON true
  WHERE r.user_id = $1`

/** Sorted by id. */
export const statisticsByRule = (database: Queryable, userId: number, from: Date, to: Date): Promise<RuleRow[]> =>
  database.query<RuleRow>(
    `SELECT r.rule_id AS id, ${FIGURES} FROM ${RULES_AND_ATTEMPTS} GROUP BY r.rule_id ORDER BY r.rule_id`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-rule',
  )

/** The sums of a rule, or of one of its hours. */
interface Summed extends RuleRow {
  /** Counted from the start of the range; null in the sums of the rule, and where there is no attempt. */
  hour: number | null
  is_rule: boolean
  delivered: number
  oldest: string | null
}

/** @param starts  of the hours, as texts: they are the same for all rules */
const hoursOf = (
  { attempts, oldest }: Summed,
  ofHours: ReadonlyMap<number | null, Summed>,
  starts: readonly string[],
): HourRow[] => {
  const readFrom = attempts === MOST_ATTEMPTS ? new Date(oldest!).toISOString() : ''
  return starts.map((from, hour) => {
    const found = ofHours.get(hour)
    const delivered = found?.delivered ?? 0
    const counts =
      from < readFrom ? { delivered: null, failed: null } : { delivered, failed: (found?.attempts ?? 0) - delivered }
    return { from, ...counts }
  })
}

/** As {@link statisticsByRule}, and by hour from the start of the range. The attempts are read once for both. */
export const statisticsByRuleAndHour = async (
  database: Queryable,
  userId: number,
  from: Date,
  to: Date,
): Promise<RuleByHourRow[]> => {
  const rows = await database.query<Summed>(
    `SELECT r.rule_id AS id, a.hour, grouping(a.hour) = 1 AS is_rule, min(a.created_at) AS oldest,
       count(*) FILTER (WHERE a.outcome = 'delivered') AS delivered, ${FIGURES}
     FROM ${RULES_AND_ATTEMPTS} GROUP BY r.rule_id, ROLLUP (a.hour) ORDER BY r.rule_id`,
    [userId, from.toISOString(), to.toISOString()],
    'statistics-by-rule-and-hour',
  )
  const hours = Math.ceil((to.getTime() - from.getTime()) / HOUR_MS)
  const starts = Array.from({ length: hours }, (_, hour) => new Date(from.getTime() + hour * HOUR_MS).toISOString())
  const byRule = new Map<number, Map<number | null, Summed>>()
  for (const row of rows) {
    const ofHours = byRule.get(row.id) ?? new Map<number | null, Summed>()
    if (!row.is_rule) ofHours.set(row.hour, row)
    byRule.set(row.id, ofHours)
  }
  return rows
    .filter(({ is_rule }) => is_rule)
    .map((rule) => {
      const { id, attempts, success_rate, p50_ms, p95_ms, last_error } = rule
      return { id, attempts, success_rate, p50_ms, p95_ms, last_error, hours: hoursOf(rule, byRule.get(id)!, starts) }
    })
}
