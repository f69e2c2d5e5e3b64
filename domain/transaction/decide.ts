// Tests: tests/unit/domain/transaction/random-walk.test.ts
/**
 * Decisions about a transaction after its capture: attempts, manual retries, its end. Deciders return facts, and refuse a
 * forbidden change with a named error. Clock and random number are parameters.
 */
import type { Account } from '../account/account.ts'
import { Refused } from '../errors.ts'
import { match, type FoundOrderId, type Matched } from '../webhook/matching.ts'
import { delayBeforeRetry } from '../webhook/retry-schedule.ts'
import type { TransactionEvent, TransactionEventData, WebhookStatus } from './events.ts'
import { retriesAt } from './retries.ts'
import { evolveAll, statusOf, type Delivery, type LiveTransaction, type Transaction } from './transaction.ts'

/** Adds the change of the status to the append of its cause, if the cause changes it. */
const withStatus = (
  transaction: LiveTransaction,
  facts: readonly TransactionEvent[],
  at: string,
): readonly TransactionEvent[] => {
  const after = evolveAll(transaction, facts, at)
  if (after?.phase !== 'live') return facts
  const { transaction_id, webhook_status: from } = transaction
  const to = statusOf(after.deliveries)
  return from === to ? facts : [...facts, { type: 'WebhookStatusChanged', data: { transaction_id, from, to } }]
}

const live = (transaction: Transaction): LiveTransaction => {
  if (transaction?.phase === 'live') return transaction
  throw new Refused('NOT_FOUND', 'The transaction does not exist.')
}

// --- attempts ------------------------------------------------------------------------------------------------------

/** The result of one call. */
export type AttemptResult = Omit<
  TransactionEventData['WebhookAttempted'],
  'attempt_id' | 'outcome' | 'next_attempt_at'
> & {
  /** Seconds that the endpoint asked to wait. Null if it did not. */
  retry_after_s: number | null
}

export interface AttemptOccasion {
  /** The id of the record. */
  attempt_id: number
  /** When the call ended. The next due time counts from here. */
  at: Date
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** From 0 to less than 1. */
  random: number
  /** The endpoint has been down for the whole time of the schedule, so this is the last attempt. */
  isLast?: boolean
  /** During the call, its rule got another url or was deleted. So the next attempt need not wait. */
  isOutdated?: boolean
}

export const isSuccess = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300

/** The endpoint states that it is permanently gone. */
const GONE = 410

type Outcome = Pick<TransactionEventData['WebhookAttempted'], 'outcome' | 'next_attempt_at'>

const outcomeOf = (
  delivery: Delivery,
  result: AttemptResult,
  { at, schedule, random, isLast = false, isOutdated = false }: AttemptOccasion,
): Outcome => {
  if (isSuccess(result.http_status)) return { outcome: 'delivered', next_attempt_at: null }
  // The number is already recorded, or the delivery has ended. The attempt is recorded, and nothing else changes.
  if (delivery.status !== 'open' || result.attempt <= delivery.attempt)
    return { outcome: 'retrying', next_attempt_at: null }
  if (result.http_status === GONE) return { outcome: 'exhausted', next_attempt_at: null }
  const tryOfRound = result.attempt - delivery.round_base
  const delay = delayBeforeRetry(schedule, { ...result, tryOfRound }, random)
  if (delay === null || isLast) return { outcome: 'exhausted', next_attempt_at: null }
  const wait = isOutdated ? 0 : delay
  return { outcome: 'retrying', next_attempt_at: new Date(at.getTime() + wait * 1000).toISOString() }
}

/**
 * Records the result of a call (section 6 of the interface). Any 2xx ends the delivery as a success, even if its number was
 * recorded before. 410 ends it as failed. After every other result there is a retry until the schedule is used up.
 * @returns no facts for a deleted transaction, or for a rule that it never fired
 */
export const recordAttempt = (
  transaction: Transaction,
  result: AttemptResult,
  occasion: AttemptOccasion,
): readonly TransactionEvent[] => {
  if (transaction?.phase !== 'live') return []
  const delivery = transaction.deliveries.get(result.rule_id)
  if (!delivery) return []
  const { transaction_id, rule_id } = result
  const { outcome, next_attempt_at } = outcomeOf(delivery, result, occasion)
  const facts: TransactionEvent[] = [
    {
      type: 'WebhookAttempted',
      data: {
        transaction_id,
        attempt_id: occasion.attempt_id,
        rule_id,
        attempt: result.attempt,
        method: result.method,
        url: result.url,
        account_revision: result.account_revision,
        timestamp: result.timestamp,
        body_sha256: result.body_sha256,
        renderer: result.renderer,
        http_status: result.http_status,
        response_body: result.response_body,
        error: result.error,
        sent_at: result.sent_at,
        duration_ms: result.duration_ms,
        outcome,
        next_attempt_at,
      },
    },
  ]
  if (outcome === 'exhausted' && result.http_status === GONE)
    facts.push({ type: 'DeliveryEnded', data: { transaction_id, rule_id, reason: 'gone' } })
  return withStatus(transaction, facts, occasion.at.toISOString())
}

/** Whether attempt `number` of a rule is still to be made. The stream is checked before a claimed call is sent. */
export const isToBeAttempted = (transaction: Transaction, ruleId: number, number: number): boolean => {
  if (transaction?.phase !== 'live') return false
  const delivery = transaction.deliveries.get(ruleId)
  return delivery?.status === 'open' && delivery.attempt + 1 === number
}

/** Ends a delivery whose rule was deleted. Returns nothing if it has already ended. */
export const endDelivery = (transaction: Transaction, ruleId: number, at: Date): readonly TransactionEvent[] => {
  if (transaction?.phase !== 'live' || transaction.deliveries.get(ruleId)?.status !== 'open') return []
  const { transaction_id } = transaction
  return withStatus(
    transaction,
    [{ type: 'DeliveryEnded', data: { transaction_id, rule_id: ruleId, reason: 'rule_deleted' } }],
    at.toISOString(),
  )
}

// --- manual retries ------------------------------------------------------------------------------------------------

export interface RetryOccasion {
  by: 'manual' | 'bulk'
  at: Date
  /** The account as it is today, with its prefixes and rules. */
  account: Account
  /** Finds the order id in the transaction's text with today's prefixes. Called only if the transaction is matched again. */
  find: (transaction: LiveTransaction) => FoundOrderId | null
  /** Sends a transaction that succeeded to the same rules once more. */
  again?: boolean
  /** Only this rule. It exists, unless a transaction is sent again. Nothing is matched again. */
  only?: number | undefined
  /** With `pending`: only deliveries with this status. */
  which?: 'failed' | 'open' | undefined
}

/**
 * Manual retries of one transaction within a day, including those in bulk. Each is followed by attempts, and each reads all events of the
 * transaction. So a program that retries one in a loop would soon cost much with each call.
 */
export const MOST_RETRIES = 300

/**
 * Matches against today's prefixes and rules. If they find no order id in the text, the transaction keeps the one that it has,
 * because a more complete copy may have added it.
 */
const matchedAgain = (
  transaction: LiveTransaction,
  { account, find }: RetryOccasion,
): Omit<Matched, 'webhook_status'> => {
  const known = transaction.order_id === null ? null : { order_id: transaction.order_id, prefix: transaction.prefix }
  const { order_id, prefix, rules } = match(account, transaction, find(transaction) ?? known)
  return {
    order_id,
    prefix,
    // An endpoint that has responded with 2xx is not called again. Otherwise the order would be paid twice.
    rules: rules.filter((rule) => transaction.deliveries.get(rule)?.status !== 'succeeded'),
  }
}

/** Deliveries of a pending transaction that have failed get a fresh schedule, and those that wait for their next attempt are due at once. */
const retryPending = (
  { transaction_id, webhook_status, order_id, prefix, deliveries }: LiveTransaction,
  { by, account, only, which }: RetryOccasion,
): readonly TransactionEvent[] => {
  const data = { transaction_id, by, rematched: false, order_id, prefix, webhook_status }
  const rulesOf = (chosen: (delivery: Delivery, rule: number) => boolean): number[] =>
    [...deliveries]
      .filter(([rule, delivery]) => (only ?? rule) === rule && chosen(delivery, rule))
      .map(([rule]) => rule)
  const failed = which === 'open' ? [] : rulesOf(({ status }, rule) => status === 'failed' && account.rules.has(rule))
  const open = which === 'failed' ? [] : rulesOf(({ status, attempt }) => status === 'open' && attempt > 0)
  const facts: TransactionEvent[] = []
  if (failed.length > 0) facts.push({ type: 'WebhookRetryRequested', data: { ...data, rules: failed } })
  if (open.length > 0) facts.push({ type: 'WebhookRetryRequested', data: { ...data, rules: open, due_now: true } })
  return facts
}

/**
 * A manual retry. With `failed`, the rules that have not succeeded and still exist get a fresh schedule, and their attempt
 * numbers continue. If none of them still exists, and with `no_match`, the transaction is matched against today's prefixes
 * and rules. With `pending`, rules that failed get a fresh schedule if they still exist, and what waits for its next attempt is
 * due at once. A delivery without an attempt is due already, or is over the quota and keeps its time. With `success` and
 * `again`, the rules that succeeded and still exist get a new round. The delivery of a paused rule opens and is held.
 * @returns no facts if nothing can be sent earlier
 * @throws {Refused} `NOT_FOUND`; `CONFLICT` for any other status, after `MOST_RETRIES` within a day, or if all rules that succeeded are gone
 */
export const retry = (transaction: Transaction, occasion: RetryOccasion): readonly TransactionEvent[] => {
  const current = live(transaction)
  const { transaction_id, webhook_status, order_id, prefix } = current
  const again = webhook_status === 'success' && occasion.again === true
  if (retriesAt(current.retries, occasion.at) >= MOST_RETRIES)
    throw new Refused('CONFLICT', `A transaction can be retried ${MOST_RETRIES} times within a day.`, {
      webhook_status,
    })
  if (webhook_status === 'pending') return retryPending(current, occasion)
  if (webhook_status !== 'failed' && webhook_status !== 'no_match' && !again)
    throw new Refused('CONFLICT', `A transaction with status ${webhook_status} cannot be retried.`, { webhook_status })
  const ended = again ? 'succeeded' : 'failed'
  const stillThere = [...current.deliveries]
    .filter(([rule, { status }]) => status === ended && occasion.account.rules.has(rule))
    .map(([rule]) => rule)
  const rules = stillThere.filter((rule) => (occasion.only ?? rule) === rule)
  if (again && rules.length === 0)
    throw new Refused('CONFLICT', 'The rules that this transaction was sent to were deleted.', { webhook_status })
  const rematched = stillThere.length === 0 && occasion.only === undefined
  if (!rematched && rules.length === 0) return []
  const matched = rematched ? matchedAgain(current, occasion) : { order_id, prefix, rules }
  const at = occasion.at.toISOString()
  const requested = (status: WebhookStatus): TransactionEvent => ({
    type: 'WebhookRetryRequested',
    data: { transaction_id, by: occasion.by, rematched, ...matched, webhook_status: status, ...(again && { again }) },
  })
  const after = evolveAll(current, [requested(webhook_status)], at) as LiveTransaction
  return withStatus(current, [requested(statusOf(after.deliveries))], at)
}

/**
 * Sends a transaction that waited until its owner confirmed the bank account. It is matched like in a manual retry.
 * @param since  older transactions stay as they are. They can still be retried manually.
 */
export const release = (
  transaction: Transaction,
  { since, ...occasion }: Omit<RetryOccasion, 'by'> & { since: Date },
): readonly TransactionEvent[] => {
  if (transaction?.phase !== 'live' || transaction.held !== 'unconfirmed_account') return []
  if (transaction.webhook_status !== 'no_match' || Date.parse(transaction.captured_at) < since.getTime()) return []
  return retry(transaction, { ...occasion, by: 'bulk' }).map((fact) =>
    fact.type === 'WebhookRetryRequested' ? { ...fact, data: { ...fact.data, released: true } } : fact,
  )
}

/**
 * Removes a transaction with everything that belongs to it. Attempts in flight are not recorded.
 * @throws {Refused} `NOT_FOUND`
 */
export const remove = (transaction: Transaction): readonly TransactionEvent[] => {
  const { transaction_id, user_id, captured_at, already_run_of } = live(transaction)
  // Copies of another notification never counted towards the quota.
  const counted = already_run_of === null
  return [{ type: 'TransactionDeleted', data: { transaction_id, user_id, captured_at, counted } }]
}
