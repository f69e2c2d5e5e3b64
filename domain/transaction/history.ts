/** The history of a transaction in words: one sentence per event, oldest first. It contains no personal data. */
import { isEventOf } from '../catalogue.ts'
import { asStored, type StoredEvent } from '../parse-event.ts'
import { cameBack } from '../reader/returned.ts'
import { shownUrl } from '../webhook/shown-url.ts'
import {
  transactionEvents,
  type HeldFor,
  type TransactionEvent,
  type TransactionEventData,
  type WebhookStatus,
} from './events.ts'

/** The facts of the sentence, for programs that phrase it in another language. */
export interface HistoryFacts {
  /** The rules that the transaction was sent to, or will be sent to. */
  rules?: number[]
  held?: HeldFor
  /** The transaction that this one is a copy of. */
  copy_of?: number
  /** Its text says that the money came back. So its order id pays nothing by itself. */
  came_back?: true
  /** The shop's prefix by which the order id was found; null if no active shop had it. */
  prefix?: string | null
  attempt?: number
  /** 0: no answer. */
  http_status?: number
  error?: string | null
  by?: 'manual' | 'bulk'
  /** Why it is sent again, or never again. */
  why?: 'retry' | 'due_now' | 'again' | 'released' | 'rule_deleted' | 'gone'
  status?: WebhookStatus
}

export interface HistoryLine {
  /** ISO 8601 UTC. */
  at: string
  event: string
  text: string
  facts: HistoryFacts
}

const rulesOf = (rules: readonly number[]): string =>
  rules.length === 0 ? 'no rule fits' : `${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')}`

/** The rules that a transaction matched, or why there is none. */
const matchOf = (
  matched: Pick<TransactionEventData['WebhookRetryRequested'], 'order_id' | 'prefix' | 'rules' | 'webhook_status'>,
): string => {
  const { order_id, prefix, rules, webhook_status } = matched
  if (rules.length > 0 || order_id === null) return rulesOf(rules)
  if (webhook_status === 'success') return 'all rules that fit have succeeded'
  return prefix === null ? 'no active shop has its prefix' : rulesOf(rules)
}

const orderOf = (order_id: string | null): string => (order_id === null ? 'no order id' : `order ${order_id}`)

const HELD_FOR: Readonly<Record<HeldFor, string>> = {
  old_notification: 'the notification was old when it arrived',
  unconfirmed_account: 'the bank account is not confirmed',
}

const heldBack = ({ held }: { held?: HeldFor | undefined }): string =>
  held === undefined ? '' : `; held back, because ${HELD_FOR[held]}`

/**
 * Whether a transaction's text says that the money came back, so that it pays no order. A prefix shows that its order counted: it was captured
 * before its words were known.
 */
export const hasComeBack = (data: TransactionEventData['TransactionCaptured']): boolean =>
  data.prefix === null && (data.order_id !== null || data.contradicts !== undefined) && cameBack(data, data.description)

/** Whether there is an order id that belongs to no active shop. */
const hasNoShop = (data: TransactionEventData['TransactionCaptured']): boolean =>
  data.order_id !== null && data.prefix === null && data.already_run_of === null && !hasComeBack(data)

const prefixOf = ({ order_id, prefix }: { order_id: string | null; prefix: string | null }): HistoryFacts =>
  order_id !== null && prefix !== null ? { prefix } : {}

const sentence = (event: TransactionEvent): string => {
  switch (event.type) {
    case 'TransactionCaptured': {
      const { source_type, bank_code, transaction_type, amount, currency, order_id, rules, already_run_of } = event.data
      const copy = already_run_of === null ? '' : `; a copy of transaction ${already_run_of}, so nothing is sent`
      const differs =
        event.data.contradicts === undefined ? '' : `, although that transaction shows ${event.data.contradicts}`
      const back = hasComeBack(event.data) ? '; its text says that the money came back, so it pays no order' : ''
      const fits = already_run_of === null && back === '' ? matchOf(event.data) : rulesOf(rules)
      return `captured from ${source_type}: ${bank_code} ${transaction_type} ${amount} ${currency}, ${orderOf(order_id)}, ${fits}${copy}${differs}${back}${heldBack(event.data)}`
    }
    case 'TransactionCompleted':
      return `a more complete copy (transaction ${event.data.completed_by}) supplied ${orderOf(event.data.order_id)}, ${matchOf(event.data)}${heldBack(event.data)}`
    case 'WebhookAttempted': {
      const { rule_id, attempt, method, url, http_status, error, duration_ms, outcome, next_attempt_at } = event.data
      const answer = http_status === 0 ? `no answer (${error ?? 'unknown'})` : `answered ${http_status}`
      const next = next_attempt_at === null ? '' : `, next attempt at ${next_attempt_at}`
      return `attempt ${attempt} for rule ${rule_id}: ${method} ${shownUrl(url)}, ${answer} in ${Math.round(duration_ms)} ms; ${outcome}${next}`
    }
    case 'WebhookRetryRequested': {
      const { by, rematched, rules, order_id, released, due_now, again: isReplay } = event.data
      if (released) return `the bank account was confirmed: matched again: ${orderOf(order_id)}, ${matchOf(event.data)}`
      const requested = `${by} retry requested`
      if (due_now) return `${requested}: waiting attempts are due at once, ${rulesOf(rules)}`
      if (isReplay) return `${requested}: sent once more after a success, ${rulesOf(rules)}`
      if (rematched) return `${requested} and matched again: ${orderOf(order_id)}, ${matchOf(event.data)}`
      return `${requested}, ${rulesOf(rules)}`
    }
    case 'DeliveryEnded': {
      const { rule_id, reason } = event.data
      return `delivery for rule ${rule_id} ended: ${reason === 'gone' ? 'the endpoint answered that it is gone' : 'the rule was deleted'}`
    }
    case 'WebhookStatusChanged':
      return `status ${event.data.from} → ${event.data.to}`
    case 'TransactionDeleted':
      return 'deleted; all earlier events were erased'
  }
}

const factsOf = (event: TransactionEvent): HistoryFacts => {
  switch (event.type) {
    case 'TransactionCaptured': {
      const { rules, held, already_run_of, webhook_status } = event.data
      return {
        rules,
        ...(held && { held }),
        ...(already_run_of !== null && { copy_of: already_run_of }),
        ...(hasComeBack(event.data) && { came_back: true }),
        ...(hasNoShop(event.data) && webhook_status === 'no_match' ? { prefix: null } : prefixOf(event.data)),
      }
    }
    case 'TransactionCompleted': {
      const { rules, held } = event.data
      return { rules, ...(held && { held }), ...prefixOf(event.data) }
    }
    case 'WebhookAttempted': {
      const { rule_id, attempt, http_status, error } = event.data
      return { rules: [rule_id], attempt, http_status, error }
    }
    case 'WebhookRetryRequested': {
      const { by, rules, rematched, released, due_now, again } = event.data
      const why = released ? 'released' : due_now ? 'due_now' : again ? 'again' : 'retry'
      return { by, rules, why, ...(rematched && prefixOf(event.data)) }
    }
    case 'DeliveryEnded':
      return { rules: [event.data.rule_id], why: event.data.reason }
    case 'WebhookStatusChanged':
      return { status: event.data.to }
    case 'TransactionDeleted':
      return {}
  }
}

/** @param events  a whole stream `transaction-<id>` */
export const historyOf = (events: readonly StoredEvent[]): HistoryLine[] =>
  events.map((event) => {
    const { type } = asStored(event)
    const known = isEventOf(transactionEvents, event) ? event : null
    return {
      at: event.metadata.at,
      event: type,
      text: known ? sentence(known) : type,
      facts: known ? factsOf(known) : {},
    }
  })
