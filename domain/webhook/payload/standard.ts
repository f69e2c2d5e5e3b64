// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** The `standard` format (section 2.5). Values that the bank did not print are null. */
import { fittingBody, type Payload } from './shorten.ts'
import type { TransactionRow } from './transaction-row.ts'

/** The fields before they are shortened. A custom template takes its values from here. */
export const standardFields = (row: TransactionRow, timestamp: number): Payload => ({
  event: 'bank_transaction',
  bank_code: row.bank_code,
  bank_name: row.bank_name,
  transaction_type: row.transaction_type,
  amount: row.amount,
  currency: row.currency,
  balance_after: row.balance_after,
  account_number: row.account_number,
  transaction_ref: row.transaction_ref,
  transaction_date: row.transaction_date,
  description: row.description,
  counterpart_name: row.counterpart_name,
  order_id: row.order_id,
  transaction_id: row.id,
  timestamp,
})

/** @param timestamp  of the attempt, Unix seconds. So a retry after 24 h passes a receiver's replay check. */
export const standardBody = (row: TransactionRow, timestamp: number): string =>
  fittingBody(standardFields(row, timestamp), ['description', 'counterpart_name'])
