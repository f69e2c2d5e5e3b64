/**
 * What may happen to a transaction after it was captured: attempts, retries by hand, its end. Deciders answer facts;
 * a move that is not allowed is refused by name. The clock and the random number come in.
 */
import type { Account } from '../account/account.ts'
import { Refused } from '../errors.ts'
import { match, type FoundOrderId, type Matched } from '../webhook/matching.ts'
import { delayBeforeRetry } from '../webhook/retry-schedule.ts'
import type { TransactionEvent, TransactionEventData, WebhookStatus } from './events.ts'
import { evolveAll, statusOf, type Delivery, type LiveTransaction, type Transaction } from './transaction.ts'

export type TransactionFact = TransactionEvent

/** The status in the same append as its cause, where the cause changes it. */
const withStatus = (
  transaction: LiveTransaction,
  facts: readonly TransactionFact[],
  at: string,
): readonly TransactionFact[] => {
  const after = evolveAll(transaction, facts, at)
  if (after?.phase !== 'live' || after.deliveries.size === 0) return facts
  const { transaction_id, webhook_status: from } = transaction
  const to = statusOf(after.deliveries)
  return from === to ? facts : [...facts, { type: 'WebhookStatusChanged', data: { transaction_id, from, to } }]
}

const live = (transaction: Transaction): LiveTransaction => {
  if (transaction?.phase === 'live') return transaction
  throw new Refused('NOT_FOUND', 'The transaction does not exist.')
}

// --- attempts ------------------------------------------------------------------------------------------------------

/** One call that was made, as it came out. */
export type AttemptResult = Omit<
  TransactionEventData['WebhookAttempted'],
  'attempt_id' | 'outcome' | 'next_attempt_at'
> & {
  /** Seconds the endpoint asked to wait, null where it did not. */
  retry_after_s: number | null
}

export interface AttemptOccasion {
  /** The record's own number. */
  attempt_id: number
  /** When the call ended: the next due time counts from here. */
  at: Date
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** From 0 up to 1. */
  random: number
  /** The endpoint has been down for the whole of the schedule's time: there is no further try after this one. */
  isLast?: boolean
}

const isSuccess = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 300

/** The endpoint says that it is gone for good. */
const GONE = 410

type Outcome = Pick<TransactionEventData['WebhookAttempted'], 'outcome' | 'next_attempt_at'>

const outcomeOf = (
  delivery: Delivery,
  result: AttemptResult,
  { at, schedule, random, isLast = false }: AttemptOccasion,
): Outcome => {
  if (isSuccess(result.http_status)) return { outcome: 'delivered', next_attempt_at: null }
  // Its number is known already, or the delivery has ended meanwhile: recorded, and nothing changes by it.
  if (delivery.status !== 'open' || result.attempt <= delivery.attempt)
    return { outcome: 'retrying', next_attempt_at: null }
  if (result.http_status === GONE) return { outcome: 'exhausted', next_attempt_at: null }
  const tryOfRound = result.attempt - delivery.round_base
  const delay = delayBeforeRetry(schedule, { ...result, tryOfRound }, random)
  if (delay === null || isLast) return { outcome: 'exhausted', next_attempt_at: null }
  return { outcome: 'retrying', next_attempt_at: new Date(at.getTime() + delay * 1000).toISOString() }
}

/**
 * Records a call's result (section 6 of the interface): any 2xx ends the delivery as a success, also when its number was
 * recorded before; 410 ends it as failed; everything else is tried again until the schedule is used up.
 * @returns no facts for a deleted transaction or a rule it never fired
 */
export const recordAttempt = (
  transaction: Transaction,
  result: AttemptResult,
  occasion: AttemptOccasion,
): readonly TransactionFact[] => {
  if (transaction?.phase !== 'live') return []
  const delivery = transaction.deliveries.get(result.rule_id)
  if (!delivery) return []
  const { transaction_id, rule_id } = result
  const { outcome, next_attempt_at } = outcomeOf(delivery, result, occasion)
  const facts: TransactionFact[] = [
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

/** Whether attempt `number` of a rule is still to be made: asked of the stream before a claimed call is sent. */
export const isToBeAttempted = (transaction: Transaction, ruleId: number, number: number): boolean => {
  if (transaction?.phase !== 'live') return false
  const delivery = transaction.deliveries.get(ruleId)
  return delivery?.status === 'open' && delivery.attempt + 1 === number
}

/** Ends a delivery whose rule was deleted; nothing to say where it has ended already. */
export const endDelivery = (transaction: Transaction, ruleId: number, at: Date): readonly TransactionFact[] => {
  if (transaction?.phase !== 'live' || transaction.deliveries.get(ruleId)?.status !== 'open') return []
  const { transaction_id } = transaction
  return withStatus(
    transaction,
    [{ type: 'DeliveryEnded', data: { transaction_id, rule_id: ruleId, reason: 'rule_deleted' } }],
    at.toISOString(),
  )
}

// --- by hand -------------------------------------------------------------------------------------------------------

export interface RetryOccasion {
  by: 'manual' | 'bulk'
  at: Date
  /** As it is today: its prefixes and rules. */
  account: Account
  /** The order id that today's prefixes find in the transaction's text; called only when it is matched again. */
  find: (transaction: LiveTransaction) => FoundOrderId | null
}

/**
 * Matched against today's prefixes and rules. Where they find no order id in its text, the one it has stands: a fuller copy
 * may have brought it.
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
    // An endpoint that has answered 2xx is not called again: the order would be paid twice.
    rules: rules.filter((rule) => transaction.deliveries.get(rule)?.status !== 'succeeded'),
  }
}

/**
 * A retry by hand. `failed`: the rules that have not succeeded and still are there get a fresh schedule, their numbers go
 * on; when all of them are gone, and with `no_match`, the transaction is matched against today's prefixes and rules. A
 * paused rule's delivery opens and is held.
 * @throws {Refused} `NOT_FOUND`; `CONFLICT` for any other status
 */
export const retry = (transaction: Transaction, occasion: RetryOccasion): readonly TransactionFact[] => {
  const current = live(transaction)
  const { transaction_id, webhook_status, order_id, prefix } = current
  if (webhook_status !== 'failed' && webhook_status !== 'no_match')
    throw new Refused('CONFLICT', `A transaction with status ${webhook_status} cannot be retried.`, { webhook_status })
  const stillThere = [...current.deliveries]
    .filter(([rule, delivery]) => delivery.status === 'failed' && occasion.account.rules.has(rule))
    .map(([rule]) => rule)
  const rematched = stillThere.length === 0
  const matched = rematched ? matchedAgain(current, occasion) : { order_id, prefix, rules: stillThere }
  const at = occasion.at.toISOString()
  const requested = (status: WebhookStatus): TransactionFact => ({
    type: 'WebhookRetryRequested',
    data: { transaction_id, by: occasion.by, rematched, ...matched, webhook_status: status },
  })
  const after = evolveAll(current, [requested(webhook_status)], at) as LiveTransaction
  const status = after.deliveries.size > 0 ? statusOf(after.deliveries) : webhook_status
  return withStatus(current, [requested(status)], at)
}

/**
 * Sends what waited for the word of its owner that the bank account is theirs: matched as by a retry by hand.
 * @param since  older ones stay as they are: they can still be retried by hand
 */
export const release = (
  transaction: Transaction,
  { since, ...occasion }: Omit<RetryOccasion, 'by'> & { since: Date },
): readonly TransactionFact[] => {
  if (transaction?.phase !== 'live' || transaction.held !== 'unconfirmed_account') return []
  if (transaction.webhook_status !== 'no_match' || Date.parse(transaction.captured_at) < since.getTime()) return []
  return retry(transaction, { ...occasion, by: 'bulk' }).map((fact) =>
    fact.type === 'WebhookRetryRequested' ? { ...fact, data: { ...fact.data, released: true } } : fact,
  )
}

/**
 * Removes a transaction with all that hangs on it; attempts in flight are not recorded.
 * @throws {Refused} `NOT_FOUND`
 */
export const remove = (transaction: Transaction): readonly TransactionFact[] => {
  const { transaction_id, user_id, captured_at, already_run_of } = live(transaction)
  // Copies of another notification never counted in the quota.
  const counted = already_run_of === null
  return [{ type: 'TransactionDeleted', data: { transaction_id, user_id, captured_at, counted } }]
}
