// Tests: tests/integration/http/undelivered.test.ts
/** SQL for the transactions `t` that a bulk retry's filter selects, and for their deliveries `d` that it is about. */
import type { JobFilter, RetriedStatus } from '../../domain/job/events.ts'
import type { WebhookStatus } from '../../domain/transaction/events.ts'
import { capturedFrom, capturedTo, CONDITIONS } from '../transaction/filter.ts'

/** The state of the deliveries that a retry of transactions with a status makes due. */
const DELIVERY_STATUS: Record<RetriedStatus, string> = { failed: 'failed', pending: 'open', success: 'succeeded' }

/** The class of the error of a delivery's newest attempt. Null without an attempt, and after a delivered one. */
export const LAST_ERROR = `(SELECT a.error FROM read_model.attempt a
  WHERE a.transaction_id = d.transaction_id AND a.rule_id = d.rule_id ORDER BY a.id DESC LIMIT 1)`

/**
 * The statuses of transactions that have such a delivery. A transaction with several webhooks is pending as long as one of them
 * waits, although another one may have failed.
 */
const TRANSACTION_STATUSES: Record<RetriedStatus, readonly WebhookStatus[]> = {
  failed: ['failed', 'pending'],
  pending: ['pending'],
  success: ['success'],
}

export interface Selection {
  values: unknown[]
  /** Adds a value, and returns its placeholder. */
  add: (value: unknown) => string
  /** One condition for each status, so that each can use the index of the status. */
  ofTransactions: string[]
  /** @param transaction  name of the row of its transaction */
  ofDelivery: (transaction: string) => string
}

/**
 * While another webhook of the transaction waits, a failed delivery whose rule was deleted is not sent again. A failed transaction is
 * matched again instead. The form of the lookup keeps Postgres from reading all rules.
 */
const canBeSentAgain = (transaction: string): string => `(${transaction}.webhook_status = 'failed'
  OR (SELECT r.rule_id FROM read_model.rule r WHERE r.rule_id = d.rule_id) IS NOT NULL)`

export const selectionOf = (userId: number, { status = 'failed', rule_id, error, ...filter }: JobFilter): Selection => {
  const values: unknown[] = [userId]
  const add = (value: unknown): string => `$${values.push(value)}`
  const conditions = { ...CONDITIONS, date_from: capturedFrom, date_to: capturedTo }
  const ofTransaction = ['t.user_id = $1']
  for (const [name, value] of Object.entries(filter))
    if (value !== undefined) ofTransaction.push(conditions[name as keyof typeof filter](add(value)))
  const ofDelivery = [`d.user_id = $1 AND d.status = '${DELIVERY_STATUS[status]}'`]
  if (rule_id !== undefined) ofDelivery.push(`d.rule_id = ${add(rule_id)}::bigint`)
  if (error !== undefined) ofDelivery.push(`${LAST_ERROR} = ${add(error)}`)
  return {
    values,
    add,
    ofTransactions: TRANSACTION_STATUSES[status].map((each) =>
      [...ofTransaction, `t.webhook_status = '${each}'`].join(' AND '),
    ),
    ofDelivery: (transaction) =>
      [...ofDelivery, ...(status === 'failed' ? [canBeSentAgain(transaction)] : [])].join(' AND '),
  }
}
