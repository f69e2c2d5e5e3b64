/** What a list of transactions can be filtered by, and how that is said in SQL. */

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

/** Of a transaction's date; word for word as the index has it. */
export const VIETNAMESE_DAY = "((transaction_date AT TIME ZONE 'UTC' + interval '7 hours')::date)"

/** Bank, direction, source, account and prefix of a transaction, or of its count; word for word as the index has it. */
export const KIND = `hashtext(bank_code || ' ' || transaction_type || ' ' || source_type || ' ' ||
  coalesce(account_number, '') || ' ' || coalesce(prefix, ''))`

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

/** Of `transaction_total`: the counts of days, or those over all days. */
export const EACH_DAY = "day < 'infinity'"
export const ALL_DAYS = "day = 'infinity'"

export type FilterName = keyof TransactionFilter

/** What counts can say (`transaction_total`): a condition that is the same for all transactions of one count. */
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

/** Those that were given, in an order of their own. */
export const filtersIn = (filter: TransactionFilter): FilterName[] => NAMES.filter((name) => filter[name] !== undefined)

/** Which were given, short: for the names of prepared statements, of which each combination is one. */
export const shapeOf = (filter: TransactionFilter): string =>
  NAMES.map((name) => (filter[name] === undefined ? 0 : 1)).join('')
