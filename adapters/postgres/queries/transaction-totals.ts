/** How many transactions a list has over all its pages: from counts by day, which are exact whenever the rows are there. */
import type { Queryable } from '../database.ts'
import { CONDITIONS, filtersIn, shapeOf, type FilterName, type TransactionFilter } from './transaction-filter.ts'

/** What the counts can say: a condition that is the same for all transactions of one count. */
const OF_COUNTS: { [Name in FilterName]?: (parameter: string) => string } = {
  bank_code: CONDITIONS.bank_code,
  type: CONDITIONS.type,
  source_type: CONDITIONS.source_type,
  date_from: (value) => `day >= ${value}::date`,
  date_to: (value) => `day <= ${value}::date`,
  webhook_status: CONDITIONS.webhook_status,
  system_id: CONDITIONS.system_id,
  account_number: CONDITIONS.account_number,
}

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
