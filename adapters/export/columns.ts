// Tests: tests/unit/adapters/export/columns.test.ts
/** The columns of an export: their names, headings and values. */
import type { ExportedField, ExportedTransaction } from '../../projections/transaction/export-queries.ts'

/** How a value is shown: times are Vietnamese. */
export type Kind = 'text' | 'integer' | 'money' | 'day' | 'time' | 'moment'

export type Value = string | number | null

interface Column {
  kind: Kind
  en: string
  vi: string
  /** The field that it shows, if its name is another. */
  field?: ExportedField
  /** The other fields that it reads. */
  needs?: readonly ExportedField[]
  /** Its value, if it is not the field's. */
  of?: (row: ExportedTransaction) => Value
  /** Personal data: only the account's own credentials may read it. */
  isPersonal?: true
}

/** A copy of another notification adds no money. */
const money = (type: 'credit' | 'debit') => (row: ExportedTransaction) =>
  row.transaction_type === type && row.already_run_of === null ? row.amount : null
const OF_MONEY = ['transaction_type', 'already_run_of'] as const

const COLUMNS = {
  date: { kind: 'day', en: 'Date', vi: 'Ngày', field: 'transaction_date' },
  time: { kind: 'time', en: 'Time', vi: 'Giờ', field: 'transaction_date' },
  bank_code: { kind: 'text', en: 'Bank', vi: 'Ngân hàng' },
  account_number: { kind: 'text', en: 'Account', vi: 'Số tài khoản' },
  money_in: { kind: 'money', en: 'Money in', vi: 'Tiền vào', field: 'amount', needs: OF_MONEY, of: money('credit') },
  money_out: { kind: 'money', en: 'Money out', vi: 'Tiền ra', field: 'amount', needs: OF_MONEY, of: money('debit') },
  currency: { kind: 'text', en: 'Currency', vi: 'Loại tiền' },
  counterpart_name: { kind: 'text', en: 'Counterpart', vi: 'Người chuyển/nhận' },
  order_id: { kind: 'text', en: 'Order', vi: 'Mã đơn' },
  transaction_ref: { kind: 'text', en: 'Reference', vi: 'Mã tham chiếu' },
  webhook_status: { kind: 'text', en: 'Webhook', vi: 'Trạng thái webhook' },
  id: { kind: 'integer', en: 'Id', vi: 'Mã giao dịch' },
  user_id: { kind: 'integer', en: 'User', vi: 'Mã người dùng' },
  source_type: { kind: 'text', en: 'Source', vi: 'Nguồn' },
  bank_name: { kind: 'text', en: 'Bank name', vi: 'Tên ngân hàng' },
  transaction_type: { kind: 'text', en: 'Direction', vi: 'Chiều tiền' },
  amount: { kind: 'money', en: 'Amount', vi: 'Số tiền' },
  account_name: { kind: 'text', en: 'Account name', vi: 'Tên tài khoản', isPersonal: true },
  transaction_date: { kind: 'moment', en: 'Date and time', vi: 'Thời điểm giao dịch' },
  counterpart_account: { kind: 'text', en: 'Counterpart account', vi: 'Tài khoản đối ứng', isPersonal: true },
  counterpart_bank: { kind: 'text', en: 'Counterpart bank', vi: 'Ngân hàng đối ứng' },
  description: { kind: 'text', en: 'Original text', vi: 'Tin gốc', isPersonal: true },
  already_run_of: { kind: 'integer', en: 'Copy of', vi: 'Trùng với' },
  raw_data: { kind: 'text', en: 'Raw data', vi: 'Dữ liệu gốc', isPersonal: true },
  balance_after: { kind: 'money', en: 'Balance', vi: 'Số dư', isPersonal: true },
  created_at: { kind: 'moment', en: 'Received', vi: 'Thời điểm nhận' },
  updated_at: { kind: 'moment', en: 'Updated', vi: 'Cập nhật' },
} as const satisfies Record<string, Column>

export type ColumnName = keyof typeof COLUMNS
export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[]

/** The columns that an accountant needs, without personal data. */
export const USUAL_COLUMNS = COLUMN_NAMES.slice(0, COLUMN_NAMES.indexOf('id') + 1)

const columnOf = (name: ColumnName): Column => COLUMNS[name]
const fieldOf = (name: ColumnName): ExportedField => columnOf(name).field ?? (name as ExportedField)

/** The fields that these columns read. */
export const fieldsOf = (names: readonly ColumnName[]): ExportedField[] => [
  ...new Set(names.flatMap((name) => [fieldOf(name), ...(columnOf(name).needs ?? [])])),
]

export const isPersonal = (name: ColumnName): boolean => columnOf(name).isPersonal === true

export const kindOf = (name: ColumnName): Kind => columnOf(name).kind

/** @param language  null: the names of the columns, for programs */
export const headingOf = (name: ColumnName, language: 'vi' | 'en' | null): string =>
  language === null ? name : columnOf(name)[language]

/** @returns functions that give a row's values, in the order of the columns */
export const valuesOf = (names: readonly ColumnName[]): ((row: ExportedTransaction) => Value[]) => {
  const readers = names.map((name) => {
    const field = fieldOf(name)
    return columnOf(name).of ?? ((row: ExportedTransaction) => row[field])
  })
  return (row) => readers.map((read) => read(row))
}
