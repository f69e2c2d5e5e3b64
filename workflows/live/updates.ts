/**
 * The message about an event for an open page. It has enough to decide what to reload, or to show a payment. It
 * contains no personal data: at most what the list shows by default.
 */
import type { AccountEventData } from '../../domain/account/events.ts'
import { handle, type Handlers } from '../../domain/catalogue.ts'
import { hasComeBack } from '../../domain/transaction/history.ts'
import { asStored, isReadable, type StoredEvent } from '../../domain/parse-event.ts'

export interface LiveUpdate {
  kind: 'transaction' | 'attempt' | 'alert' | 'notification' | 'account'
  /** The change: `captured`, `status`, `deleted`, … */
  what: string
  [field: string]: string | number | boolean | null
}

const HANDLERS: Handlers<LiveUpdate> = {
  TransactionCaptured: ({ data }) => ({
    kind: 'transaction',
    what: 'captured',
    id: data.transaction_id,
    webhook_status: data.webhook_status,
    bank_code: data.bank_code,
    transaction_type: data.transaction_type,
    amount: data.amount,
    currency: data.currency,
    order_id: data.order_id,
    created_at: data.created_at,
    ...((data.held || hasComeBack(data)) && { held: true }),
  }),
  TransactionCompleted: ({ data: { transaction_id: id, webhook_status, order_id } }) => ({
    kind: 'transaction',
    what: 'completed',
    id,
    webhook_status,
    order_id,
  }),
  WebhookRetryRequested: ({ data: { transaction_id: id, by, rematched, webhook_status, released = false } }) => ({
    kind: 'transaction',
    what: 'retried',
    id,
    webhook_status,
    // A manual retry releases too: what was held back has no delivery that failed, so it is matched again.
    ...((released || (by === 'manual' && rematched)) && { released: true }),
  }),
  WebhookStatusChanged: ({ data: { transaction_id: id, to } }) => ({
    kind: 'transaction',
    what: 'status',
    id,
    webhook_status: to,
  }),
  TransactionDeleted: ({ data: { transaction_id: id } }) => ({ kind: 'transaction', what: 'deleted', id }),
  WebhookAttempted: ({ data: { transaction_id, rule_id, attempt, http_status, outcome } }) => ({
    kind: 'attempt',
    what: outcome,
    id: transaction_id,
    rule_id,
    attempt,
    http_status,
  }),
  AlertRaised: ({ data: { alert_id: id, kind } }) => ({ kind: 'alert', what: 'raised', id, alert: kind }),
  AlertEnded: ({ data: { alert_id: id, kind } }) => ({ kind: 'alert', what: 'ended', id, alert: kind }),
}

/** After these events a listener's credential may be void. It must authenticate again. */
const ENDS_LISTENING: ReadonlySet<string> = new Set<keyof AccountEventData>([
  'AccountLocked',
  'AccountDeleted',
  'ApiKeyRevoked',
  'ApiKeyRotated',
  'CounterClosed',
  'CounterOpened',
  'LoginsEnded',
  'PasswordSet',
  'ScopedKeyRemoved',
  'SessionEnded',
])

export const endsListening = ({ type }: StoredEvent): boolean => ENDS_LISTENING.has(type)

/** null for events that no page shows. */
export const liveUpdateOf = (event: StoredEvent): LiveUpdate | null => {
  const { stream } = event
  const update = isReadable(event) ? handle(HANDLERS, event) : undefined
  if (update) return update
  if (stream.startsWith('account-')) return { kind: 'account', what: asStored(event).type }
  if (stream.startsWith('unread-') || stream.startsWith('ignored-')) return { kind: 'notification', what: 'kept' }
  return null
}
