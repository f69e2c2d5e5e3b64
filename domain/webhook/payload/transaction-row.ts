// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** The input of a payload: a transaction as the read models hold it (section 2.1). */
import type { Money } from '../../money.ts'

export interface TransactionRow {
  id: number
  bank_code: string
  bank_name: string
  transaction_type: 'credit' | 'debit'
  amount: Money
  currency: string
  balance_after: Money | null
  account_number: string | null
  transaction_ref: string | null
  /** ISO 8601 UTC. */
  transaction_date: string
  description: string
  counterpart_name: string | null
  order_id: string | null
}
