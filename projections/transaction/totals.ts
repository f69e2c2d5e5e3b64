/**
 * How many transactions a list has over all its pages, and the shortest way to one of them: from counts, which are exact
 * whenever the rows are there. There are three ways:
 *
 * - From the newest on, by time or by status, leaving out what is not wanted.
 * - Kind by kind: all of a kind are of one bank, direction, source, account and prefix. The newest of each that is wanted are
 *   found directly, so that it makes no difference how rare or old they are. A user has few kinds, as the counts over all
 *   days tell.
 * - Day by day, the newest of each that has some, by an index that tells which these are: for certain days, and where a status
 *   is wanted together with something else.
 */
import type { Queryable } from '../engine/queryable.ts'
import type { PageOf } from '../engine/page-sql.ts'
import {
  ALL_DAYS,
  CONDITIONS,
  EACH_DAY,
  filtersIn,
  KIND,
  OF_COUNTS,
  shapeOf,
  type FilterName,
  type TransactionFilter,
} from './filter.ts'

/** What a page is put together from: the newest of each kind, or of each Vietnamese day. */
export type Parts = { by: 'kind'; values: readonly number[] } | { by: 'day'; values: readonly string[] }

/** What is known before a page is read. */
export interface Ahead {
  total: number
  /** null: it is read from the newest on. */
  parts: Parts | null
}

/** Rows that are looked at in the time that a look at a year's days takes: a way that passes no more is gone at once. */
const QUICK = 5_000
/** What finding the first row of a kind takes, in rows. */
const FIRST = 10
/** Days that are gone through in less time than it takes to find out whether there is a shorter way. */
const FEW_DAYS = 92

/** @param pageRows  rows of a page */
export const lookAhead = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
  pageRows: number,
): Promise<Ahead> => {
  const used = filtersIn(filter)
  if (!isCounted(used) || used.every((name) => name === 'webhook_status'))
    return { total: await totalOfTransactions(database, userId, filter), parts: null }
  const asked = { userId, filter, of, rows: String('page' in of ? of.page * pageRows : pageRows) }
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
  /** Of the page and all before it. */
  rows: string
}

const isOfDays = (name: FilterName): boolean => name === 'date_from' || name === 'date_to'

/** `total` is that of all days, whichever are wanted. */
const lookAtKinds = async (
  database: Queryable,
  { userId, filter, rows }: Asked,
): Promise<Ahead & { isQuick: boolean }> => {
  const used = filtersIn(filter).filter((name) => !isOfDays(name))
  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const ofStatus = conditions[used.indexOf('webhook_status')]
  // Where a kind's newest may not be wanted, all of it may have to be looked at.
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

/** No parts where going from the newest on is less. */
const lookAtDays = async (database: Queryable, { userId, filter, of, rows: pageRows }: Asked): Promise<Ahead> => {
  const used = filtersIn(filter)
  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const inOrder = conditions[used.indexOf('webhook_status')] ?? 'true'
  const rows = `$${used.length + 2}::numeric`
  // Only how much there is to read is told by it, so that it need not be exact for a transaction that came in late.
  const newest = `(coalesce($${used.length + 3}::timestamptz, 'infinity') AT TIME ZONE 'UTC' + interval '7 hours')::date`
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
    [userId, ...used.map((name) => filter[name]), pageRows, 'after' in of ? of.after.created_at : null],
    `transactions-${isFew ? 'few-days' : 'days'}:${shapeOf(filter)}`,
  )
  const { total, days } = row!
  return { total, parts: days && { by: 'day', values: days } }
}

const hasFewDays = ({ date_from, date_to }: TransactionFilter): boolean =>
  date_from !== undefined &&
  date_to !== undefined &&
  Date.parse(date_to) - Date.parse(date_from) <= FEW_DAYS * 86_400_000

const isCounted = (used: readonly FilterName[]): boolean => used.every((name) => OF_COUNTS[name])

/** Few have the same order id, so they are counted where they are: there is an index by it. */
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
