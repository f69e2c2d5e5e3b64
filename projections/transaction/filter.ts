// Tests: tests/integration/http/lists.test.ts
/** The filters of a list of transactions, and their SQL. */

/** Interface, section 8. */
export const TRANSACTIONS_A_PAGE = 30

export interface TransactionFilter {
  bank_code?: string | undefined
  type?: string | undefined
  source_type?: string | undefined
  /** Vietnamese calendar days, both inclusive: `YYYY-MM-DD`. */
  date_from?: string | undefined
  date_to?: string | undefined
  search?: string | undefined
  webhook_status?: string | undefined
  /** Only transactions with a delivery for this rule. */
  rule_id?: number | undefined
  /** Only transactions whose order id matched the prefix of this connected system. */
  system_id?: number | undefined
  order_id?: string | undefined
  account_number?: string | undefined
}

/**
 * SQL for midnight in Vietnam at the beginning of a day (UTC+7, no daylight saving). Years before 1000 are raised to
 * 1000.
 */
const vietnameseMidnight = (parameter: string) =>
  `(greatest(${parameter}::date, '1000-01-01')::timestamp - interval '7 hours') AT TIME ZONE 'UTC'`

/**
 * Ignores case, and treats composed and decomposed letters alike. It uses ICU's rules, because a database may have only
 * ASCII's.
 */
const folded = (text: string) => `lower(normalize(${text}, NFC) COLLATE "und-x-icu")`

const from = (column: string) => (value: string) => `${column} >= ${vietnameseMidnight(value)}`
const to = (column: string) => (value: string) => `${column} < ${vietnameseMidnight(value)} + interval '1 day'`

/** Vietnamese days of the capture, both inclusive. */
export const capturedFrom = from('created_at')
export const capturedTo = to('created_at')

/** One condition per filter. `strpos` takes the searched text literally: `%`, `_` and `\\` are ordinary characters. */
export const CONDITIONS: { [Name in keyof TransactionFilter]-?: (parameter: string) => string } = {
  bank_code: (value) => `bank_code = ${value}`,
  type: (value) => `transaction_type = ${value}`,
  source_type: (value) => `source_type = ${value}`,
  date_from: from('transaction_date'),
  date_to: to('transaction_date'),
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

/** Rows of `transaction_total`: the counts of single days, or those over all days. */
export const EACH_DAY = "day < 'infinity'"
export const ALL_DAYS = "day = 'infinity'"

export type FilterName = keyof TransactionFilter

/** Filters that the counts (`transaction_total`) can answer: the condition is the same for all transactions of one count. */
export const OF_COUNTS: { [Name in FilterName]?: (parameter: string) => string } = {
  bank_code: CONDITIONS.bank_code,
  type: CONDITIONS.type,
  source_type: CONDITIONS.source_type,
  date_from: (value) => `day >= ${value}::date`,
  date_to: (value) => `day <= ${value}::date`,
  webhook_status: CONDITIONS.webhook_status,
  system_id: CONDITIONS.system_id,
  account_number: CONDITIONS.account_number,
}

const NAMES = Object.keys(CONDITIONS) as FilterName[]

/** The filters that were given, in a fixed order. */
export const filtersIn = (filter: TransactionFilter): FilterName[] => NAMES.filter((name) => filter[name] !== undefined)

/** A short form of which filters were given. It names prepared statements: one per combination. */
export const shapeOf = (filter: TransactionFilter): string =>
  NAMES.map((name) => (filter[name] === undefined ? 0 : 1)).join('')
