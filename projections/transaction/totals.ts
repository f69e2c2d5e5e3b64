// Tests: tests/integration/http/lists.test.ts
/**
 * The number of transactions in a list over all its pages, and the fastest way to read one page. Both come from counts,
 * which always agree with the rows. There are three ways:
 *
 * - From the newest on, by time or by status, skipping unwanted rows.
 * - Kind by kind: all transactions of a kind have the same bank, direction, source, account and prefix. The newest of
 *   each wanted kind are found directly, so it does not matter how rare or old they are. A user has few kinds, as the
 *   counts over all days show.
 * - Day by day: the newest of each day that has some, by an index that contains the filtered columns. It serves certain
 *   days, and a status together with another filter.
 */
import { DAY_MS } from '../../domain/time.ts'
import type { Queryable } from '../engine/queryable.ts'
import type { PageOf } from '../engine/page-sql.ts'
import {
  ALL_DAYS,
  CONDITIONS,
  EACH_DAY,
  filtersIn,
  OF_COUNTS,
  shapeOf,
  TRANSACTIONS_A_PAGE,
  type FilterName,
  type TransactionFilter,
} from './filter.ts'
import { KIND, vietnameseDay } from './fields.ts'

/** The parts that a page is assembled from: the newest of each kind, or of each Vietnamese day. */
export type Parts = { by: 'kind'; values: readonly number[] } | { by: 'day'; values: readonly string[] }

/** The result of the look ahead, before a page is read. */
export interface Ahead {
  total: number
  /** null: the page is read from the newest row on. */
  parts: Parts | null
}

/**
 * Rows that are read in the time that it takes to read a year's days. A way that reads no more rows than this is used
 * at once.
 */
const QUICK = 5_000
/** The cost of finding the first row of a kind, in rows. */
const FIRST = 10
/** So few days are read faster than a shorter way can be found. */
const FEW_DAYS = 92

export const lookAhead = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
): Promise<Ahead> => {
  const used = filtersIn(filter)
  if (!isCounted(used) || used.every((name) => name === 'webhook_status'))
    return { total: await totalOfTransactions(database, userId, filter), parts: null }
  const asked = { userId, filter, of, rows: String(TRANSACTIONS_A_PAGE * ('page' in of ? of.page : 1)) }
  if (used.every(isOfDays)) return lookAtDays(database, asked)
  const { isQuick, ...byKind } = await lookAtKinds(database, asked)
  if (byKind.total === 0 || (isQuick && !used.some(isOfDays))) return byKind
  const byDay = await lookAtDays(database, asked)
  return { total: byDay.total, parts: isQuick ? byKind.parts : byDay.parts }
}

interface Asked {
  userId: number
  filter: TransactionFilter
  of: PageOf
  /** The number of rows on the page and all pages before it. */
  rows: string
}

const isOfDays = (name: FilterName): boolean => name === 'date_from' || name === 'date_to'

/** `total` covers all days, even if the filter wants only some. */
const lookAtKinds = async (
  database: Queryable,
  { userId, filter, rows }: Asked,
): Promise<Ahead & { isQuick: boolean }> => {
  const used = filtersIn(filter).filter((name) => !isOfDays(name))
  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const ofStatus = conditions[used.indexOf('webhook_status')]
  // If a kind's newest rows may be unwanted, all rows of the kind may have to be read.
  const most = ofStatus || filtersIn(filter).some(isOfDays) ? 'infinity' : rows
  const [row] = await database.query<{
    total: number
    by_time: number | null
    kinds: number[] | null
    by_kind: number
  }>(
    `WITH kinds AS (
        SELECT ${KIND} AS kind, sum(number) AS here, sum(number) FILTER (WHERE ${ofStatus ?? 'false'}) AS by_time,
          sum(number) FILTER (WHERE ${conditions.join(' AND ')}) AS wanted
        FROM read_model.transaction_total WHERE user_id = $1 AND ${ALL_DAYS} GROUP BY kind),
      cost AS (SELECT sum(least(here, $${used.length + 2}::numeric) + ${FIRST})::bigint AS by_kind FROM kinds WHERE wanted > 0)
      SELECT coalesce(sum(wanted), 0)::bigint AS total, sum(by_time)::bigint AS by_time, by_kind,
        CASE WHEN by_kind <= ${QUICK} THEN array_agg(kind) FILTER (WHERE wanted > 0) END AS kinds
      FROM kinds, cost GROUP BY by_kind`,
    [userId, ...used.map((name) => filter[name]), most],
    `transactions-kinds:${shapeOf(filter)}`,
  )
  if (!row) return { total: 0, parts: null, isQuick: true }
  const { total, kinds, by_kind, by_time } = row
  const isByKind = kinds !== null && by_kind <= (by_time ?? QUICK)
  return {
    total,
    parts: isByKind ? { by: 'kind', values: kinds } : null,
    isQuick: isByKind || (by_time !== null && by_time <= QUICK),
  }
}

/** Returns no parts if reading from the newest row on is cheaper. */
const lookAtDays = async (database: Queryable, { userId, filter, of, rows: reached }: Asked): Promise<Ahead> => {
  const used = filtersIn(filter)
  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const inOrder = conditions[used.indexOf('webhook_status')] ?? 'true'
  const rows = `$${used.length + 2}::numeric`
  // This only estimates how much there is to read, so it need not be exact for a transaction that arrived late.
  const newest = vietnameseDay(`coalesce($${used.length + 3}::timestamptz, 'infinity')`)
  const isFew = hasFewDays(filter)
  const looked = conditions.filter((_, at) => used[at] === 'date_from' || (isFew && used[at] === 'date_to'))
  const [row] = await database.query<{ total: number; days: string[] | null }>(
    `WITH counts AS (
        SELECT day, sum(number) AS here, sum(number) FILTER (WHERE ${inOrder}) AS in_order,
          coalesce(sum(number) FILTER (WHERE ${conditions.join(' AND ')}), 0) AS wanted
        FROM read_model.transaction_total WHERE ${['user_id = $1', EACH_DAY, ...looked].join(' AND ')} GROUP BY day),
      reached AS (SELECT *, sum(wanted) OVER (ORDER BY day DESC) AS so_far FROM counts WHERE day <= ${newest}),
      cost AS (SELECT sum(here * least(1, ${rows} / wanted)) FILTER (WHERE wanted > 0) AS by_day,
          sum(in_order) FILTER (WHERE so_far - wanted < ${rows}) AS by_time
        FROM reached)
      SELECT coalesce(sum(wanted), 0)::bigint AS total,
        CASE WHEN ${isFew} OR (SELECT by_day < by_time FROM cost)
          THEN coalesce(array_agg(day::text) FILTER (WHERE wanted > 0), '{}') END AS days
      FROM counts`,
    [userId, ...used.map((name) => filter[name]), reached, 'after' in of ? of.after.created_at : null],
    `transactions-${isFew ? 'few-days' : 'days'}:${shapeOf(filter)}`,
  )
  const { total, days } = row!
  return { total, parts: days && { by: 'day', values: days } }
}

const hasFewDays = ({ date_from, date_to }: TransactionFilter): boolean =>
  date_from !== undefined && date_to !== undefined && Date.parse(date_to) - Date.parse(date_from) <= FEW_DAYS * DAY_MS

const isCounted = (used: readonly FilterName[]): boolean => used.every((name) => OF_COUNTS[name])

/** Few transactions have the same order id. So they are counted directly, by an index. */
export const totalOfTransactions = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
): Promise<number> => {
  const used = filtersIn(filter)
  const counted = isCounted(used)
  const conditionOf = (name: FilterName) => (counted ? OF_COUNTS[name]! : CONDITIONS[name])
  const where = ['user_id = $1', ...used.map((name, index) => conditionOf(name)(`$${index + 2}`))].join(' AND ')
  const days = used.some(isOfDays) ? EACH_DAY : ALL_DAYS
  const [row] = await database.query<{ total: number }>(
    counted
      ? `SELECT coalesce(sum(number), 0) AS total FROM read_model.transaction_total WHERE ${where} AND ${days}`
      : `SELECT count(*) AS total FROM read_model.transaction WHERE ${where}`,
    [userId, ...used.map((name) => filter[name])],
    `transactions-total:${shapeOf(filter)}`,
  )
  return row!.total
}
