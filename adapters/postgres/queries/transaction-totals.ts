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

/**
 * `by_time`: through all from the newest on, by the index there is for that, until the page is full. `by_day`: the newest of
 * each day that has some, where most of the others would be gone through for few, or old ones.
 */
export type Way = 'by_time' | 'by_day'

/** Filters with an index in the order of time. */
const IN_ORDER: readonly FilterName[] = ['webhook_status', 'bank_code']

export const lookAhead = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
  pageRows: number,
): Promise<{ total: number; way: Way }> => {
  const used = filtersIn(filter)
  if (filter.date_from !== undefined || filter.date_to !== undefined)
    return { total: await totalOfTransactions(database, userId, filter), way: 'by_day' }
  const index = IN_ORDER.find((name) => used.includes(name))
  const isAllInOrder = used.every((name) => name === index)
  if (isAllInOrder || !isCounted(used))
    return { total: await totalOfTransactions(database, userId, filter), way: 'by_time' }

  const conditions = used.map((name, at) => OF_COUNTS[name]!(`$${at + 2}`))
  const inOrder = index ? conditions[used.indexOf(index)]! : 'true'
  const rows = `$${used.length + 2}::numeric`
  // Only how much there is to read is told by it, so that it need not be exact for a transaction that came in late.
  const newest = `(coalesce($${used.length + 3}::timestamptz, 'infinity') AT TIME ZONE 'UTC' + interval '7 hours')::date`
  const [row] = await database.query<{ total: number; is_by_day: boolean }>(
    `WITH days AS (
        SELECT day, sum(number) AS here, sum(number) FILTER (WHERE ${inOrder}) AS in_order,
          coalesce(sum(number) FILTER (WHERE ${conditions.join(' AND ')}), 0) AS wanted
        FROM read_model.transaction_count WHERE user_id = $1 GROUP BY day),
      reached AS (SELECT *, sum(wanted) OVER (ORDER BY day DESC) AS so_far FROM days WHERE day <= ${newest})
      SELECT (SELECT coalesce(sum(wanted), 0)::bigint FROM days) AS total,
        coalesce(sum(here * least(1, ${rows} / wanted)) FILTER (WHERE wanted > 0)
          < sum(in_order) FILTER (WHERE so_far - wanted < ${rows}), false) AS is_by_day
      FROM reached`,
    [
      userId,
      ...used.map((name) => filter[name]),
      String('page' in of ? of.page * pageRows : pageRows),
      'after' in of ? of.after.created_at : null,
    ],
    `transactions-ahead:${shapeOf(filter)}`,
  )
  return { total: row!.total, way: row!.is_by_day ? 'by_day' : 'by_time' }
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
