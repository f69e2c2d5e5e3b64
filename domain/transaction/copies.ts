// Tests: tests/unit/domain/transaction/copies.test.ts, tests/unit/domain/transaction/capture.test.ts
/** The effects of a copy on the first notification of its event: it may complete it or contradict it. */
import { digitsContradict } from '../dedup/account-digits.ts'
import { DEDUP_RETENTION_S } from '../dedup/events.ts'
import type { Payment } from '../plan-order/plan-order.ts'
import { cameBack } from '../reader/returned.ts'
import type { Matched } from '../webhook/matching.ts'
import { unsent, type Movement } from './appraisal.ts'
import type { TransactionEvent } from './events.ts'
import type { LiveTransaction } from './transaction.ts'

/**
 * Whether an order id is better than the transaction's: it had none, or one that matched no prefix and so was a guess. If the transaction says that
 * the money came back, a copy may show the rest of the memo without these words, and pays no order either.
 */
const isBetter = (first: LiveTransaction, { order_id, prefix }: Matched): boolean =>
  order_id !== null &&
  (first.order_id === null || (first.prefix === null && prefix !== null && first.order_id !== order_id)) &&
  (prefix === null || !cameBack(first, first.description))

/** Whether the first notification is still within the deduplication window. An older one is not completed. */
const isRecent = (first: LiveTransaction, { arrival }: Movement): boolean =>
  arrival.arrived_at.getTime() - Date.parse(first.captured_at) <= DEDUP_RETENTION_S * 1_000

/** Whether a copy adds what the first lacks. It does not if the first was retried manually in the meantime. */
export const completes = (first: LiveTransaction, movement: Movement): boolean =>
  (first.webhook_status === 'skipped' || first.webhook_status === 'no_match') &&
  isBetter(first, movement.matched) &&
  isRecent(first, movement)

/** Whether a credit is the remembered one. A mark alone is not sufficient proof. */
export const isRemembered = (first: LiveTransaction, { reading }: Movement): boolean =>
  first.bank_code === reading.bank_code &&
  first.transaction_type === 'credit' &&
  first.amount === reading.amount &&
  (first.account_number === null ||
    reading.account_number === null ||
    !digitsContradict(first.account_number, reading.account_number))

/**
 * @returns the order id of the first notification, if a copy shows a different one, or says that the money came back. It must match a prefix of the
 *          user, and so must the different one. Without a prefix an order id is a guess, and nothing is ever sent for it.
 */
export const contradictedBy = (
  first: LiveTransaction,
  { matched: { order_id, prefix }, reading, arrival }: Movement,
): string | null => {
  if (first.prefix === null) return null
  const isOther = prefix !== null && order_id !== first.order_id
  const hasComeBack = cameBack(reading, arrival.incoming.text) && !cameBack(first, first.description)
  return isOther || hasComeBack ? first.order_id : null
}

/**
 * A better copy adds the order id that the first lacked. The first is then matched as if it had that order id from the start. A
 * transaction that was held back stays held back, and an old copy sends nothing either.
 * @param copy  record of the copy
 * @param payment  the first notification's result as the payment of a plan, with that order id
 * @param isOff  whether the owner has switched off the first one's bank account. The copy may not print the number.
 * @returns nothing if the copy does not complete the first
 */
export const completed = (
  first: LiveTransaction,
  copy: number,
  movement: Movement,
  payment: Payment | null = null,
  isOff = false,
): TransactionEvent[] => {
  if (!completes(first, movement)) return []
  const { transaction_id, webhook_status: from } = first
  const held = first.held ?? movement.held
  const matched = held || isOff ? unsent(movement.matched) : movement.matched
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
