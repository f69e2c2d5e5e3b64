// Tests: tests/unit/domain/transaction/audit.test.ts
/** Events of one transaction: stream `transaction-<id>`. Field names are those of sections 2.1 and 2.2 of the interface. */
import { z } from 'zod'
import { decimal, id, moment } from '../fields.ts'

export const webhookStatus = z.enum([
  'pending',
  'success',
  'failed',
  'no_match',
  'skipped',
  'plan_upgraded',
  'already_run',
])
export type WebhookStatus = z.infer<typeof webhookStatus>

export const sourceType = z.enum(['sms', 'notification', 'email', 'api'])
export type SourceType = z.infer<typeof sourceType>

/** Why nothing was sent automatically, although a rule may match. A manual retry sends it. */
export const heldFor = z.enum(['old_notification', 'unconfirmed_account'])
export type HeldFor = z.infer<typeof heldFor>

/** How an order id was matched, at capture or later. */
const matched = {
  order_id: z.string().nullable(),
  /** The user's prefix that the order id matched. Null if it matched none. */
  prefix: z.string().nullable(),
  /** Matching rules. Each has one delivery. */
  rules: z.array(id),
  webhook_status: webhookStatus,
}

export const transactionEvents = {
  TransactionCaptured: z.object({
    transaction_id: id,
    user_id: id,
    source_type: sourceType,
    /** The source, as the deduplication window names it: `device-7:sms`, `device-7:com.VCB`, `mailbox-3`, `url:…`. */
    source: z.string(),
    bank_code: z.string(),
    bank_name: z.string(),
    transaction_type: z.enum(['credit', 'debit']),
    amount: decimal,
    currency: z.string(),
    account_number: z.string().nullable(),
    account_name: z.string().nullable(),
    transaction_ref: z.string().nullable(),
    transaction_date: moment,
    transaction_date_source: z.enum(['printed', 'printed_day', 'printed_without_year', 'arrival']),
    counterpart_account: z.string().nullable(),
    counterpart_name: z.string().nullable(),
    counterpart_bank: z.string().nullable(),
    description: z.string(),
    /** The memo as the bank prints it. Null if the layout has none. Order ids are searched here. */
    content: z.string().nullable(),
    raw_data: z.string(),
    balance_after: decimal.nullable(),
    already_run_of: id.nullable(),
    ...matched,
    /** Present if it was held back. */
    held: heldFor.optional(),
    /** For a copy: the order id of the first notification, if the copy shows a different one, or says that the money came back. */
    contradicts: z.string().optional(),
    created_at: moment,
  }),
  /** A better copy added the order id that the first notification lacked. */
  TransactionCompleted: z.object({ transaction_id: id, completed_by: id, ...matched, held: heldFor.optional() }),
  WebhookAttempted: z.object({
    transaction_id: id,
    attempt_id: id,
    rule_id: id,
    /** Number of the attempt for this rule, from 1. It continues across manual retries. */
    attempt: z.int().positive(),
    method: z.enum(['POST', 'PUT']),
    url: z.string(),
    /** Revision of the account whose rule was used. With it, the request can be reproduced. */
    account_revision: z.int(),
    /** The body's `timestamp`: Unix seconds. */
    timestamp: z.int(),
    body_sha256: z.string(),
    renderer: z.int(),
    http_status: z.int(),
    response_body: z.string(),
    error: z.string().nullable(),
    sent_at: moment,
    duration_ms: z.number(),
    outcome: z.enum(['delivered', 'retrying', 'exhausted']),
    next_attempt_at: moment.nullable(),
  }),
  /** A manual retry, of one transaction or in bulk. The named rules get a fresh schedule, and their attempt numbers continue. */
  WebhookRetryRequested: z.object({
    transaction_id: id,
    by: z.enum(['manual', 'bulk']),
    /** True if the transaction was matched again against today's prefixes and rules. */
    rematched: z.boolean(),
    ...matched,
    /** True if the owner confirmed the bank account that it had waited for. */
    released: z.boolean().optional(),
    /** True if the named deliveries wait for their next attempt. They are due at once. Schedules and attempt numbers continue. */
    due_now: z.boolean().optional(),
    /** True if the named rules have succeeded, and are called once more with the same transaction. */
    again: z.boolean().optional(),
  }),
  DeliveryEnded: z.object({ transaction_id: id, rule_id: id, reason: z.enum(['rule_deleted', 'gone']) }),
  /** Always in the same append as its cause. */
  WebhookStatusChanged: z.object({ transaction_id: id, from: webhookStatus, to: webhookStatus }),
  /** Contains no personal data, because it is the only event that stays when the stream is erased. */
  TransactionDeleted: z.object({ transaction_id: id, user_id: id, captured_at: moment, counted: z.boolean() }),
}

type Schemas = typeof transactionEvents
export type TransactionEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type TransactionEvent = {
  [Type in keyof Schemas]: { type: Type; data: TransactionEventData[Type] }
}[keyof Schemas]

export const transactionStream = (transactionId: number): string => `transaction-${transactionId}`

/** The id in the name of a transaction's stream; null for another stream. */
export const transactionIn = (stream: string): number | null => {
  const [, id] = /^transaction-(\d+)$/.exec(stream) ?? []
  return id === undefined ? null : Number(id)
}
