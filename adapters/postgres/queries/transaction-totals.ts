/** How many transactions a list has over all its pages: from counts by day, which are exact whenever the rows are there. */
import type { Queryable } from '../database.ts'
import {
  CONDITIONS,
  filtersIn,
  OF_COUNTS,
  shapeOf,
  type FilterName,
  type TransactionFilter,
} from './transaction-filter.ts'

/** Few have the same order id, so they are counted where they are: there is an index by it. */
export const totalOfTransactions = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
): Promise<number> => {
  const used = filtersIn(filter)
  const isCounted = used.every((name) => OF_COUNTS[name])
  const conditionOf = (name: FilterName) => (isCounted ? OF_COUNTS[name]! : CONDITIONS[name])
  const where = ['user_id = $1', ...used.map((name, index) => conditionOf(name)(`$${index + 2}`))].join(' AND ')
  const [row] = await database.query<{ total: number }>(
    isCounted
      ? `SELECT coalesce(sum(number), 0) AS total FROM read_model.transaction_count WHERE ${where}`
      : `SELECT count(*) AS total FROM read_model.transaction WHERE ${where}`,
    [userId, ...used.map((name) => filter[name])],
    `transactions-total:${shapeOf(filter)}`,
  )
  return row!.total
}
