/** A transaction and its deliveries as the API shows them (interface, sections 2.1 and 2.2). */
import type { AttemptRow, LogRow } from '../../postgres/queries/attempts.ts'
import type { TransactionRow } from '../../postgres/queries/transactions.ts'

/** Without `raw` the five fields of personal data are left out. */
export const presentTransaction = (row: TransactionRow, raw: boolean) => ({
  id: row.id,
  user_id: row.user_id,
  source_type: row.source_type,
  bank_code: row.bank_code,
  bank_name: row.bank_name,
  transaction_type: row.transaction_type,
  amount: row.amount,
  currency: row.currency,
  account_number: row.account_number,
  ...(raw ? { account_name: row.account_name } : {}),
  transaction_ref: row.transaction_ref,
  transaction_date: row.transaction_date,
  ...(raw ? { counterpart_account: row.counterpart_account } : {}),
  counterpart_name: row.counterpart_name,
  counterpart_bank: row.counterpart_bank,
  ...(raw ? { description: row.description } : {}),
  order_id: row.order_id,
  webhook_status: row.webhook_status,
  already_run_of: row.already_run_of,
  ...(raw ? { raw_data: row.raw_data, balance_after: row.balance_after } : {}),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const presentAttempt = (row: AttemptRow) => ({
  http_status: row.http_status,
  response_body: row.response_body,
  attempt: row.attempt,
  sent_at: row.sent_at,
  duration_ms: row.duration_ms,
  outcome: row.outcome,
  error: row.error,
  next_attempt_at: row.next_attempt_at,
})

export const presentDelivery = (row: AttemptRow) => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  webhook_url: row.webhook_url,
  ...presentAttempt(row),
})

export const presentLog = (row: LogRow) => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  transaction_id: row.transaction_id,
  bank_code: row.bank_code,
  amount: row.amount,
  transaction_type: row.transaction_type,
  ...presentAttempt(row),
  created_at: row.created_at,
})
