/**
 * How many transactions a list has over all its pages, and the shortest way to one of them: from counts by day, which are
 * exact whenever the rows are there.
 */
import type { Queryable } from '../database.ts'
import type { PageOf } from './page-sql.ts'
import {
  CONDITIONS,
  filtersIn,
  OF_COUNTS,
  shapeOf,
  type FilterName,
  type TransactionFilter,
} from './transaction-filter.ts'

/** What is known before a page is read. */
export interface Ahead {
  total: number
  /**
   * Vietnamese days that have some, where going through the newest of each is less than going through all from the newest on
   * until the page is full: for few, for old ones, and for those of certain days. null: it is not.
   */
  days: readonly string[] | null
}

/** Filters with an index in the order of time. */
const IN_ORDER: readonly FilterName[] = ['webhook_status', 'bank_code']

/** @param pageRows  rows of a page */
export const lookAhead = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
  pageRows: number,
): Promise<Ahead> => {
  const used = filtersIn(filter)
  const index = IN_ORDER.find((name) => used.includes(name))
  if (used.every((name) => name === index) || !isCounted(used))
    return { total: await totalOfTransactions(database, userId, filter), days: null }

  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const inOrder = index ? conditions[used.indexOf(index)]! : 'true'
  const rows = `$${used.length + 2}::numeric`
  // Only how much there is to read is told by it, so that it need not be exact for a transaction that came in late.
  const newest = `(coalesce($${used.length + 3}::timestamptz, 'infinity') AT TIME ZONE 'UTC' + interval '7 hours')::date`
  const ofDays = conditions.filter((_, at) => used[at] === 'date_from' || used[at] === 'date_to')
  const [row] = await database.query<Ahead>(
    `WITH counts AS (
        SELECT day, sum(number) AS here, sum(number) FILTER (WHERE ${inOrder}) AS in_order,
          coalesce(sum(number) FILTER (WHERE ${conditions.join(' AND ')}), 0) AS wanted
        FROM read_model.transaction_count WHERE ${['user_id = $1', ...ofDays].join(' AND ')} GROUP BY day),
      reached AS (SELECT *, sum(wanted) OVER (ORDER BY day DESC) AS so_far FROM counts WHERE day <= ${newest}),
      cost AS (SELECT sum(here * least(1, ${rows} / wanted)) FILTER (WHERE wanted > 0) AS by_day,
          sum(in_order) FILTER (WHERE so_far - wanted < ${rows}) AS by_time
        FROM reached)
      SELECT coalesce(sum(wanted), 0)::bigint AS total,
        CASE WHEN ${ofDays.length > 0} OR (SELECT by_day < by_time FROM cost)
          THEN coalesce(array_agg(day::text) FILTER (WHERE wanted > 0), '{}') END AS days
      FROM counts`,
    [
      userId,
      ...used.map((name) => filter[name]),
      String('page' in of ? of.page * pageRows : pageRows),
      'after' in of ? of.after.created_at : null,
    ],
    `transactions-ahead:${shapeOf(filter)}`,
  )
  return row!
}

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
  const [row] = await database.query<{ total: number }>(
    counted
      ? `SELECT coalesce(sum(number), 0) AS total FROM read_model.transaction_count WHERE ${where}`
      : `SELECT count(*) AS total FROM read_model.transaction WHERE ${where}`,
    [userId, ...used.map((name) => filter[name])],
    `transactions-total:${shapeOf(filter)}`,
  )
  return row!.total
}
