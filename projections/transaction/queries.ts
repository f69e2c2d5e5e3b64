// Tests: tests/integration/http/lists.test.ts
/** Reads of the transaction list and of one transaction. Everything is restricted to its owner. */
import type { Queryable } from '../engine/queryable.ts'
import { pageSql, type PageOf } from '../engine/page-sql.ts'
import { isSearch, type Search } from '../searchable/queries.ts'
import { CONDITIONS, filtersIn, shapeOf, TRANSACTIONS_A_PAGE, type TransactionFilter } from './filter.ts'
import { KIND, SHOWN_COLUMNS, VIETNAMESE_DAY, type TransactionRow } from './fields.ts'
import { lookAhead, totalOfTransactions, type Parts } from './totals.ts'

/** Newest first. `total` is the number of rows over all pages. @throws {Refused} if the search cannot answer */
export const listTransactions = async (
  database: Queryable,
  search: Search,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
): Promise<{ rows: TransactionRow[]; total: number }> => {
  if (isSearch(filter)) return search.list<TransactionRow>(SHOWN_COLUMNS, userId, filter, of)
  if (filtersIn(filter).length === 0) {
    const [rows, total] = await Promise.all([
      pageOfTransactions(database, userId, filter, of, null),
      totalOfTransactions(database, userId, filter),
    ])
    return { rows, total }
  }
  // The total comes first: without hits, no rows are scanned.
  const { total, parts } = await lookAhead(database, userId, filter, of)
  return { rows: total === 0 ? [] : await pageOfTransactions(database, userId, filter, of, parts), total }
}

/** The expression that identifies a part, and its type. */
const PARTS = { kind: [KIND, 'integer'], day: [VIETNAMESE_DAY, 'date'] } as const

const pageOfTransactions = (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
  parts: Parts | null,
): Promise<TransactionRow[]> => {
  const used = filtersIn(filter)
  const values = [userId, ...used.map((name) => filter[name]), ...(parts ? [parts.values] : [])]
  const { sql, reach, more, name } = pageSql(of, values.length, TRANSACTIONS_A_PAGE)
  const conditions = used.map((name, index) => CONDITIONS[name](`$${index + 2}`))
  const where = ['user_id = $1', ...conditions].join(' AND ')
  const [column, type] = PARTS[parts?.by ?? 'kind']
  return database.query<TransactionRow>(
    parts
      ? // The newest of each part, by an index. It reads neither all rows of a part nor all rows that are newer.
        `WITH page AS (SELECT newest.id AS page_id FROM unnest($${values.length}::${type}[]) AS part CROSS JOIN LATERAL (
            SELECT id, created_at FROM read_model.transaction WHERE ${where} AND ${column} = part ${reach}
          ) AS newest WHERE true ${sql})
        SELECT ${SHOWN_COLUMNS} FROM page JOIN read_model.transaction ON id = page_id ORDER BY created_at DESC, id DESC`
      : `SELECT ${SHOWN_COLUMNS} FROM read_model.transaction WHERE ${where} ${sql}`,
    [...values, ...more],
    `transactions:by-${parts?.by ?? 'time'}:${name}:${shapeOf(filter)}`,
  )
}

/** One transaction of a user; null if the user has none with this id. */
export const findTransaction = async (
  database: Queryable,
  userId: number,
  id: number,
): Promise<TransactionRow | null> => {
  const [row] = await database.query<TransactionRow>(
    `SELECT ${SHOWN_COLUMNS} FROM read_model.transaction WHERE id = $2 AND user_id = $1`,
    [userId, id],
    'transaction',
  )
  return row ?? null
}

/** Ids of a user's failed transactions of the last 7 days, oldest first, at most `limit` (interface, section 4.3). */
export const failedTransactions = async (
  database: Queryable,
  userId: number,
  now: Date,
  limit: number,
): Promise<number[]> => {
  const rows = await database.query<{ id: number }>(
    `SELECT id FROM read_model.transaction
     WHERE user_id = $1 AND webhook_status = 'failed' AND created_at >= $2::timestamptz - interval '7 days'
     ORDER BY created_at, id LIMIT $3`,
    [userId, now.toISOString(), limit],
    'failed-transactions',
  )
  return rows.map(({ id }) => id)
}

export interface Payment {
  id: number
  amount: string
  currency: string
  order_id: string | null
  at: string
  bank_code: string
  account_number: string | null
}

/** The newest incoming payments, without copies. */
export const lastPayments = (database: Queryable, userId: number, most: number): Promise<Payment[]> =>
  database.query<Payment>(
    `SELECT id, amount, currency, order_id, created_at AS at, bank_code, account_number FROM read_model.transaction
     WHERE user_id = $1 AND transaction_type = 'credit' AND already_run_of IS NULL
     ORDER BY created_at DESC, id DESC LIMIT $2`,
    [userId, most],
    'last-payments',
  )
