/** The columns of an export, in the order of the file. Their headings are texts of the page. */
import { inVietnam } from './vietnam-time.ts'

/** The columns that an accountant needs, without personal data. */
export const USUAL_COLUMNS = [
  'date',
  'time',
  'bank_code',
  'account_number',
  'money_in',
  'money_out',
  'currency',
  'counterpart_name',
  'order_id',
  'transaction_ref',
  'webhook_status',
  'id',
] as const

/** Personal data: a read-only key cannot export these. */
const PERSONAL_COLUMNS = ['account_name', 'counterpart_account', 'description', 'raw_data', 'balance_after'] as const

export const MORE_COLUMNS = [
  'user_id',
  'source_type',
  'bank_name',
  'transaction_type',
  'amount',
  'account_name',
  'transaction_date',
  'counterpart_account',
  'counterpart_bank',
  'description',
  'already_run_of',
  'raw_data',
  'balance_after',
  'created_at',
  'updated_at',
] as const

export type ExportColumn = (typeof USUAL_COLUMNS)[number] | (typeof MORE_COLUMNS)[number]

export const isPersonal = (column: ExportColumn): boolean => (PERSONAL_COLUMNS as readonly string[]).includes(column)

/** The latest months in Vietnam, the current one first, each with its days. */
export const latestMonths = (count: number, now: Date): { month: string; from: string; to: string }[] => {
  const vietnam = inVietnam(now)
  return Array.from({ length: count }, (_, index) => {
    const at = (months: number, day: number) =>
      new Date(Date.UTC(vietnam.getUTCFullYear(), vietnam.getUTCMonth() - index + months, day))
        .toISOString()
        .slice(0, 10)
    const from = at(0, 1)
    return { month: from.slice(0, 7), from, to: at(1, 0) }
  })
}
