// Tests: tests/unit/domain/transaction/random-walk.test.ts
/**
 * The state of a transaction, with one delivery for each rule that matched. Pure.
 *
 * A delivery has a second state machine: the rows of the queue (`projections/delivery/projection.ts`). This one makes decisions,
 * and the queue finds due deliveries. `tests/integration/projections/projector.test.ts` folds random histories with both and
 * compares every delivery.
 */
import { isEventOf } from '../catalogue.ts'
import type { Money } from '../money.ts'
import { isFoldable, type StoredEvent } from '../parse-event.ts'
import { withRetry, type Retries } from './retries.ts'
import { transactionEvents, type HeldFor, type TransactionEvent, type WebhookStatus } from './events.ts'

/** The state of one transaction × rule. `attempt` is the number of the last attempt, 0 before the first. */
export type Delivery =
  | {
      status: 'open'
      attempt: number
      /** Number of the attempt after which the current schedule began. A manual retry increases it. */
      round_base: number
      /** ISO 8601 UTC. */
      due_at: string
    }
  | { status: 'succeeded' | 'failed'; attempt: number }
  /** Its rule no longer exists. */
  | { status: 'ended'; attempt: number }

export interface LiveTransaction {
  phase: 'live'
  transaction_id: number
  user_id: number
  captured_at: string
  bank_code: string
  transaction_type: 'credit' | 'debit'
  amount: Money
  account_number: string | null
  /** Texts in which an order id is searched when the transaction is matched again. */
  content: string | null
  description: string
  order_id: string | null
  prefix: string | null
  already_run_of: number | null
  webhook_status: WebhookStatus
  /** Why no webhook was sent automatically; null after a manual retry. */
  held: HeldFor | null
  /** Its manual retries, including those in bulk. */
  retries: Retries | null
  deliveries: ReadonlyMap<number, Delivery>
}

/** Null before its first event. A deleted transaction has no other fields. */
export type Transaction = LiveTransaction | { phase: 'deleted'; transaction_id: number; user_id: number } | null

type Deliveries = ReadonlyMap<number, Delivery>

const opened = (deliveries: Deliveries, rules: readonly number[], at: string): Deliveries => {
  const next = new Map(deliveries)
  for (const rule of rules) {
    const attempt = next.get(rule)?.attempt ?? 0
    next.set(rule, { status: 'open', attempt, round_base: attempt, due_at: at })
  }
  return next
}

/** Open deliveries that wait no longer. Their schedules and attempt numbers continue. */
const hurried = (deliveries: Deliveries, rules: readonly number[], at: string): Deliveries => {
  const next = new Map(deliveries)
  for (const rule of rules) {
    const delivery = next.get(rule)
    if (delivery?.status === 'open') next.set(rule, { ...delivery, due_at: at })
  }
  return next
}

/** A manual retry names every failed delivery that can be retried. The rules of the others are gone, so they no longer count. */
const withoutFailed = (deliveries: Deliveries): Deliveries =>
  new Map(
    [...deliveries].map(([rule, delivery]) =>
      delivery.status === 'failed' ? [rule, { status: 'ended', attempt: delivery.attempt }] : [rule, delivery],
    ),
  )

type Attempted = Extract<TransactionEvent, { type: 'WebhookAttempted' }>['data']

/** An attempt with neither an end nor a next time (`retrying`, null) was recorded late. It changes nothing but the number. */
const afterAttempt = (delivery: Delivery | undefined, attempted: Attempted): Delivery | undefined => {
  if (!delivery) return undefined
  const attempt = Math.max(delivery.attempt, attempted.attempt)
  if (attempted.outcome === 'delivered') return { status: 'succeeded', attempt }
  if (attempted.outcome === 'exhausted') return { status: 'failed', attempt }
  if (attempted.next_attempt_at !== null && delivery.status === 'open')
    return { ...delivery, attempt, due_at: attempted.next_attempt_at }
  return { ...delivery, attempt }
}

/** Sets one delivery. */
type Put = (deliveries: Deliveries, rule: number, delivery: Delivery) => Deliveries

const putInCopy: Put = (deliveries, rule, delivery) => new Map(deliveries).set(rule, delivery)

/** For a state that nobody else has. With a copy for each attempt, the fold of a transaction with many rules would take quadratic time. */
const putInPlace: Put = (deliveries, rule, delivery) => (deliveries as Map<number, Delivery>).set(rule, delivery)

/** @param at  when the event was decided (its metadata). Deliveries that open are due from then on. */
export const evolve = (transaction: Transaction, event: TransactionEvent, at: string, put = putInCopy): Transaction => {
  if (event.type === 'TransactionCaptured') {
    const { transaction_id, user_id, bank_code, transaction_type, amount, account_number, content } = event.data
    const { description, order_id, prefix, already_run_of, webhook_status, created_at, held = null } = event.data
    return {
      phase: 'live', transaction_id, user_id, captured_at: created_at, bank_code, transaction_type, amount,
      account_number, content, description, order_id, prefix, already_run_of, webhook_status, held, retries: null,
      deliveries: opened(new Map(), event.data.rules, created_at),
    } // prettier-ignore
  }
  if (event.type === 'TransactionDeleted') {
    const { transaction_id, user_id } = event.data
    return { phase: 'deleted', transaction_id, user_id }
  }
  if (transaction?.phase !== 'live') return transaction
  switch (event.type) {
    case 'TransactionCompleted': {
      const { order_id, prefix, webhook_status, rules, held = transaction.held } = event.data
      const deliveries = opened(transaction.deliveries, rules, at)
      return { ...transaction, order_id, prefix, webhook_status, held, deliveries }
    }
    case 'WebhookRetryRequested': {
      const { order_id, prefix, webhook_status, rules, due_now: isDueNow = false } = event.data
      const retries = withRetry(transaction.retries, at, isDueNow)
      if (isDueNow) return { ...transaction, retries, deliveries: hurried(transaction.deliveries, rules, at) }
      const deliveries = withoutFailed(opened(transaction.deliveries, rules, at))
      return { ...transaction, order_id, prefix, webhook_status, held: null, retries, deliveries }
    }
    case 'WebhookAttempted': {
      const { rule_id } = event.data
      const delivery = afterAttempt(transaction.deliveries.get(rule_id), event.data)
      if (!delivery) return transaction
      return { ...transaction, deliveries: put(transaction.deliveries, rule_id, delivery) }
    }
    case 'DeliveryEnded': {
      const { rule_id, reason } = event.data
      const attempt = transaction.deliveries.get(rule_id)?.attempt ?? 0
      const status = reason === 'gone' ? 'failed' : 'ended'
      return { ...transaction, deliveries: put(transaction.deliveries, rule_id, { status, attempt }) }
    }
    case 'WebhookStatusChanged':
      return { ...transaction, webhook_status: event.data.to }
  }
}

/** The status of several rules: pending while any is open, then failed if any failed, then success if any succeeded, else no match. */
export const statusOf = (deliveries: Deliveries): 'pending' | 'failed' | 'success' | 'no_match' => {
  const statuses = new Set([...deliveries.values()].map((delivery) => delivery.status))
  if (statuses.has('open')) return 'pending'
  if (statuses.has('failed')) return 'failed'
  return statuses.has('succeeded') ? 'success' : 'no_match'
}

/** Folds in newly decided facts. */
export const evolveAll = (transaction: Transaction, facts: readonly TransactionEvent[], at: string): Transaction =>
  facts.reduce<Transaction>((state, fact) => evolve(state, fact, at), transaction)

/** A whole stream `transaction-<id>`, folded. */
export const foldTransaction = (events: readonly StoredEvent[]): Transaction =>
  events.reduce<Transaction>(
    (state, event) =>
      isFoldable(event) && isEventOf(transactionEvents, event)
        ? evolve(state, event, event.metadata.at, putInPlace)
        : state,
    null,
  )
