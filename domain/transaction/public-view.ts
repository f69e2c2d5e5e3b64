/**
 * The fields of a transaction's events that may leave the service. Other programs read the topic too, and nothing in it can be
 * erased. So it contains the default fields of the transactions list (interface, section 2.1) without names and account numbers,
 * and the fields of a call except its content. The operator may add names and account numbers (`KAFKA_PERSONAL_DATA`). It never
 * contains a text of the bank, a balance, a memo, or a shop's response.
 *
 * These are allowlists: a field or event that is not listed is left out.
 */
import { shownUrl } from '../webhook/shown-url.ts'
import type { TransactionEventData } from './events.ts'

type Fields = { [Type in keyof TransactionEventData]: readonly (keyof TransactionEventData[Type])[] }

export const PUBLIC_FIELDS: Fields = {
  TransactionCaptured: [
    'transaction_id', 'user_id', 'source_type', 'bank_code', 'bank_name', 'transaction_type', 'amount', 'currency',
    'transaction_ref', 'transaction_date', 'counterpart_bank', 'order_id',
    'webhook_status', 'already_run_of', 'held', 'rules', 'created_at',
  ],
  TransactionCompleted: ['transaction_id', 'completed_by', 'order_id', 'rules', 'webhook_status', 'held'],
  WebhookAttempted: [
    'transaction_id', 'attempt_id', 'rule_id', 'attempt', 'method', 'url', 'http_status', 'error', 'sent_at',
    'duration_ms', 'outcome', 'next_attempt_at',
  ],
  WebhookRetryRequested: ['transaction_id', 'by', 'rematched', 'order_id', 'rules', 'webhook_status'],
  DeliveryEnded: ['transaction_id', 'rule_id', 'reason'],
  WebhookStatusChanged: ['transaction_id', 'from', 'to'],
  TransactionDeleted: ['transaction_id', 'user_id', 'captured_at'],
} // prettier-ignore

/** Fields of `TransactionCaptured` that name people or their accounts. */
export const PERSONAL_FIELDS = ['account_number', 'counterpart_account', 'counterpart_name'] as const

/** @returns the names of the fields of an event's data that may leave the service */
export const publicFieldsOf = (type: keyof Fields, withPersonalData: boolean): readonly string[] =>
  withPersonalData && type === 'TransactionCaptured'
    ? [...PUBLIC_FIELDS.TransactionCaptured, ...PERSONAL_FIELDS]
    : PUBLIC_FIELDS[type]

/** @returns the public fields of an event's data. None for an unknown event. */
export const publicView = (
  { type, data }: { type: string; data: unknown },
  withPersonalData = false,
): Record<string, unknown> => {
  if (!Object.hasOwn(PUBLIC_FIELDS, type) || typeof data !== 'object' || data === null) return {}
  const given = data as Record<string, unknown>
  const passing = publicFieldsOf(type as keyof Fields, withPersonalData).filter((name) => Object.hasOwn(given, name))
  return Object.fromEntries(
    passing.map((name) => [name, name === 'url' ? shownUrl(String(given[name] ?? '')) : given[name]]),
  )
}
