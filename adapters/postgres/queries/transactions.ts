/** Reads of the transaction list and one transaction. Everything is restricted to its owner. */
import type { SourceType, WebhookStatus } from '../../../domain/transaction/events.ts'
import type { Queryable } from '../database.ts'
import { pageSql, type PageOf } from './page-sql.ts'

export interface TransactionRow {
  id: number
  user_id: number
  source_type: SourceType
  bank_code: string
  bank_name: string
  transaction_type: 'credit' | 'debit'
  amount: string
  currency: string
  account_number: string | null
  account_name: string | null
  transaction_ref: string | null
  transaction_date: string
  counterpart_account: string | null
  counterpart_name: string | null
  counterpart_bank: string | null
  description: string
  order_id: string | null
  webhook_status: WebhookStatus
  already_run_of: number | null
  raw_data: string
  balance_after: string | null
  created_at: string
  updated_at: string
}

export interface TransactionFilter {
  bank_code?: string | undefined
  type?: string | undefined
  source_type?: string | undefined
  /** Vietnamese calendar days, both inclusive: `YYYY-MM-DD`. */
  date_from?: string | undefined
  date_to?: string | undefined
  search?: string | undefined
  webhook_status?: string | undefined
  /** Of a rule that it has a delivery for. */
  rule_id?: number | undefined
  /** Of a connected system whose prefix its order id hit. */
  system_id?: number | undefined
  order_id?: string | undefined
  account_number?: string | undefined
}

/** Interface, section 8. */
export const TRANSACTIONS_A_PAGE = 30

const COLUMNS = `id, user_id, source_type, bank_code, bank_name, transaction_type, amount, currency, account_number,
  account_name, transaction_ref, transaction_date, counterpart_account, counterpart_name, counterpart_bank, description,
  order_id, webhook_status, already_run_of, raw_data, balance_after, created_at, updated_at`

/** Midnight in Vietnam at the beginning of a day (UTC+7, no daylight saving). Years before 1000 are all long ago. */
const vietnameseMidnight = (parameter: string) =>
  `(greatest(${parameter}::date, '1000-01-01')::timestamp - interval '7 hours') AT TIME ZONE 'UTC'`

/** Without case, and composed and decomposed letters alike: ICU's rules, as a database may know none but ASCII's. */
const folded = (text: string) => `lower(normalize(${text}, NFC) COLLATE "und-x-icu")`

/** One condition a filter. `strpos` takes what is looked for as it is: `%`, `_` and `\\` are letters like any other. */
export const CONDITIONS: { [Name in keyof TransactionFilter]-?: (parameter: string) => string } = {
  bank_code: (value) => `bank_code = ${value}`,
  type: (value) => `transaction_type = ${value}`,
  source_type: (value) => `source_type = ${value}`,
  date_from: (value) => `transaction_date >= ${vietnameseMidnight(value)}`,
  date_to: (value) => `transaction_date < ${vietnameseMidnight(value)} + interval '1 day'`,
  webhook_status: (value) => `webhook_status = ${value}`,
  rule_id: (value) =>
    `EXISTS (SELECT FROM read_model.delivery d WHERE d.transaction_id = id AND d.rule_id = ${value}::bigint AND d.user_id = $1)`,
  system_id: (value) =>
    `prefix = (SELECT payment_prefix FROM read_model.system s WHERE s.system_id = ${value}::bigint AND s.user_id = $1)`,
  order_id: (value) => `order_id = ${value}`,
  account_number: (value) => `account_number = ${value}`,
  search: (value) =>
    `(${['description', 'transaction_ref', 'order_id'].map((column) => `strpos(${folded(column)}, ${folded(`${value}::text`)}) > 0`).join(' OR ')})`,
}
const FILTERS = Object.keys(CONDITIONS) as (keyof TransactionFilter)[]

/** Newest first; `total` is how many there are over all pages. */
export const listTransactions = async (
  database: Queryable,
  userId: number,
  filter: TransactionFilter,
  of: PageOf,
): Promise<{ rows: TransactionRow[]; total: number }> => {
  const used = FILTERS.filter((name) => filter[name] !== undefined)
  const values = [userId, ...used.map((name) => filter[name])]
  const where = ['user_id = $1', ...used.map((name, index) => CONDITIONS[name](`$${index + 2}`))].join(' AND ')
  // A statement of its own for each combination of filters, prepared once a connection.
  const shape = FILTERS.map((name) => (filter[name] === undefined ? 0 : 1)).join('')
  const { sql, more, name } = pageSql(of, values.length, TRANSACTIONS_A_PAGE)
  const [rows, counts] = await Promise.all([
    database.query<TransactionRow>(
      `SELECT ${COLUMNS} FROM read_model.transaction WHERE ${where} ${sql}`,
      [...values, ...more],
      `transactions:${name}:${shape}`,
    ),
    database.query<{ total: number }>(
      `SELECT count(*) AS total FROM read_model.transaction WHERE ${where}`,
      values,
      `transactions-total:${shape}`,
    ),
  ])
  return { rows, total: counts[0]!.total }
}

/** One transaction of a user; null where it has none with this id. */
export const findTransaction = async (
  database: Queryable,
  userId: number,
  id: number,
): Promise<TransactionRow | null> => {
  const [row] = await database.query<TransactionRow>(
    `SELECT ${COLUMNS} FROM read_model.transaction WHERE id = $2 AND user_id = $1`,
    [userId, id],
    'transaction',
  )
  return row ?? null
}

/** Ids of a user's failed transactions of the last 7 days, oldest first, at most so many (interface, section 4.3). */
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
}

/** The newest money that came in, copies left out. */
export const lastPayments = (database: Queryable, userId: number, most: number): Promise<Payment[]> =>
  database.query<Payment>(
    `SELECT id, amount, currency, order_id, created_at AS at FROM read_model.transaction
     WHERE user_id = $1 AND transaction_type = 'credit' AND already_run_of IS NULL
     ORDER BY created_at DESC, id DESC LIMIT $2`,
    [userId, most],
    'last-payments',
  )
