// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** The `woocommerce` format (section 2.5). Values that the bank did not print are empty strings: its fields have no null. */
import { fittingBody, type Payload } from './shorten.ts'
import type { TransactionRow } from './transaction-row.ts'

/** One line for the shop's order notes, in plain words. */
const noteOf = (row: TransactionRow): string =>
  [
    `${row.bank_name}: ${row.transaction_type === 'credit' ? 'received' : 'paid'} ${row.amount} ${row.currency}`,
    row.counterpart_name && `${row.transaction_type === 'credit' ? 'from' : 'to'} ${row.counterpart_name}`,
    `at ${row.transaction_date}`,
    row.transaction_ref && `(ref ${row.transaction_ref})`,
  ]
    .filter(Boolean)
    .join(' ')

/** The fields before they are shortened. A custom template's `{{woocommerce.*}}` values come from here. */
export const woocommerceFields = (row: TransactionRow, timestamp: number): Payload => ({
  order_id: row.order_id ?? '',
  payment_method: 'bank_transfer',
  transaction_id: row.transaction_ref ?? '',
  amount: row.amount,
  currency: row.currency,
  status: 'completed',
  description: row.description,
  note: noteOf(row),
  bank_code: row.bank_code,
  bank_name: row.bank_name,
  transaction_type: row.transaction_type,
  payer_name: row.counterpart_name ?? '',
  timestamp,
})

/** @param timestamp  of the attempt, Unix seconds */
export const woocommerceBody = (row: TransactionRow, timestamp: number): string =>
  fittingBody(woocommerceFields(row, timestamp), ['description', 'note', 'payer_name'])
