/** What a copy does to the first notification of its event: it may complete it, or contradict it. */
import { digitsContradict } from '../dedup/account-digits.ts'
import { BOOK_RETENTION_S } from '../dedup/events.ts'
import type { Payment } from '../plan-order/plan-order.ts'
import type { Matched } from '../webhook/matching.ts'
import { unsent, type Movement } from './capture.ts'
import type { TransactionEvent } from './events.ts'
import type { LiveTransaction } from './transaction.ts'

/** Whether an order id is better than what a transaction has: there was none, or one that hit no prefix, a guess. */
const isBetter = (first: LiveTransaction, { order_id, prefix }: Matched): boolean =>
  order_id !== null &&
  (first.order_id === null || (first.prefix === null && prefix !== null && first.order_id !== order_id))

/** What was seen longer ago than copies are compared is not news: nothing completes it. */
const isRecent = (first: LiveTransaction, { arrival }: Movement): boolean =>
  arrival.arrived_at.getTime() - Date.parse(first.captured_at) <= BOOK_RETENTION_S * 1_000

/** Whether a copy brings what the first lacks; not where the first has been tried again by hand meanwhile. */
export const completes = (first: LiveTransaction, movement: Movement): boolean =>
  (first.webhook_status === 'skipped' || first.webhook_status === 'no_match') &&
  isBetter(first, movement.matched) &&
  isRecent(first, movement)

/** Whether a credit is the one that was remembered: a mark alone is not believed. */
export const isRemembered = (first: LiveTransaction, { reading }: Movement): boolean =>
  first.bank_code === reading.bank_code &&
  first.transaction_type === 'credit' &&
  first.amount === reading.amount &&
  (first.account_number === null ||
    reading.account_number === null ||
    !digitsContradict(first.account_number, reading.account_number))

/**
 * @returns the first's order id, where a copy shows a different one. Both must have hit a prefix of the user: without one an
 *          order id is a guess, and nothing is ever sent for it
 */
export const contradictedBy = (first: LiveTransaction, { matched: { order_id, prefix } }: Movement): string | null =>
  first.prefix !== null && prefix !== null && order_id !== first.order_id ? first.order_id : null

/**
 * A better copy brings the order id that the first lacked: it is matched as if it had had it. What was held back stays held back, and a
 * copy that is old news sends nothing either.
 * @param copy  record of the copy
 * @param payment  what the first is, with that order id, as the payment of a plan
 * @returns nothing where it does not complete the first
 */
export const completed = (
  first: LiveTransaction,
  copy: number,
  movement: Movement,
  payment: Payment | null = null,
): TransactionEvent[] => {
  if (!completes(first, movement)) return []
  const { transaction_id, webhook_status: from } = first
  const held = first.held ?? movement.held
  const matched = held ? unsent(movement.matched) : movement.matched
  const to = payment?.webhook_status ?? matched.webhook_status
  const fact: TransactionEvent = {
    type: 'TransactionCompleted',
    data: {
      transaction_id,
      completed_by: copy,
      ...matched,
      ...(payment && { rules: [] }),
      webhook_status: to,
      ...(held && !payment && { held }),
    },
  }
  return from === to ? [fact] : [fact, { type: 'WebhookStatusChanged', data: { transaction_id, from, to } }]
}
