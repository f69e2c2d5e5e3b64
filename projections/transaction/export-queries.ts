// Tests: tests/integration/http/export.test.ts
/**
 * All transactions of a user that a filter selects, page by page, day by day. The days come from the counts, so a month is read
 * without the rest of the history. All pages cost about the same: each has a bounded number of rows and of bytes, because each export
 * that is under way keeps a page in memory, and an account can have texts of 64 KB in every row.
 */
import type { Queryable } from '../engine/queryable.ts'
import { VIETNAMESE_DAY } from './fields.ts'
import { CONDITIONS, EACH_DAY, filtersIn, OF_COUNTS, type TransactionFilter } from './filter.ts'

/** Columns with the names of section 2.1 of the interface. */
export const EXPORTED = [
  'id', 'user_id', 'source_type', 'bank_code', 'bank_name', 'transaction_type', 'amount', 'currency', 'account_number',
  'account_name', 'transaction_ref', 'transaction_date', 'counterpart_account', 'counterpart_name', 'counterpart_bank',
  'description', 'order_id', 'webhook_status', 'already_run_of', 'raw_data', 'balance_after', 'created_at', 'updated_at',
] as const // prettier-ignore

export type ExportedField = (typeof EXPORTED)[number]
export type ExportedTransaction = Record<ExportedField, string | number | null>

const PAGE = 500
/** A page ends with the row whose texts reach this. In bytes. */
const PAGE_BYTES = 512 * 1_024

/** The fields whose texts may be long. */
const LONG: readonly ExportedField[] = ['description', 'raw_data']

/** Whether there may be rows after this page. @param long  the long fields that were read */
const isFull = (rows: readonly ExportedTransaction[], long: readonly ExportedField[]): boolean => {
  if (rows.length === PAGE) return true
  let bytes = 0
  for (const row of rows) for (const name of long) bytes += Buffer.byteLength(String(row[name] ?? ''))
  return bytes >= PAGE_BYTES
}

const daysOf = async (
  database: Queryable,
  userId: number,
  { date_from, date_to }: Pick<TransactionFilter, 'date_from' | 'date_to'>,
): Promise<string[]> => {
  const days = await database.query<{ day: string }>(
    `SELECT DISTINCT day::text AS day FROM read_model.transaction_total
     WHERE user_id = $1 AND ${EACH_DAY} AND number > 0 AND ${OF_COUNTS.date_from!("coalesce($2, '1000-01-01')")}
       AND ${OF_COUNTS.date_to!("coalesce($3, '9999-12-31')")} ORDER BY day`,
    [userId, date_from ?? null, date_to ?? null],
  )
  return days.map(({ day }) => day)
}

/**
 * In the order of their Vietnamese days, within a day in that of their capture.
 * @param fields  the columns to read; others are missing in the rows
 */
export async function* exportedTransactions(
  database: Queryable,
  userId: number,
  fields: readonly ExportedField[],
  { date_from, date_to, ...filter }: TransactionFilter = {},
): AsyncGenerator<ExportedTransaction[], void, undefined> {
  const used = filtersIn(filter)
  const values = [userId, ...used.map((name) => filter[name as keyof typeof filter])]
  const parameter = (place: number) => `$${values.length + place}`
  const where = ['user_id = $1', ...used.map((name, at) => CONDITIONS[name](`$${at + 2}`))].join(' AND ')
  const columns = [...new Set([...fields, 'id', 'created_at'])].join(', ')
  const long = LONG.filter((name) => fields.includes(name))
  const size = long.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ') || '0'
  // Sizes are known without reading the texts, so texts after the page are not read.
  const page = (isFirst: boolean) => `SELECT ${columns} FROM (
      SELECT *, sum(size) OVER (ORDER BY created_at, id) - size AS bytes_before FROM (
        SELECT ${columns}, ${size} AS size FROM read_model.transaction WHERE ${where} AND ${VIETNAMESE_DAY} = ${parameter(1)}::date
          ${isFirst ? '' : `AND (created_at, id) > (${parameter(2)}::timestamptz, ${parameter(3)}::bigint)`}
        ORDER BY created_at, id LIMIT ${PAGE}) AS next
    ) AS sized WHERE bytes_before < ${PAGE_BYTES} ORDER BY created_at, id`
  for (const day of await daysOf(database, userId, { date_from, date_to })) {
    let last: ExportedTransaction | undefined
    do {
      const after = last ? [last.created_at, last.id] : []
      const rows = await database.query<ExportedTransaction>(page(!last), [...values, day, ...after])
      if (rows.length > 0) yield rows
      last = isFull(rows, long) ? rows.at(-1) : undefined
    } while (last)
  }
}
