/** The facts that a notification becomes: its entry in the deduplication window, its transaction, or the record of why it is not one. */
import type { Arrival } from '../arrival/arrival.ts'
import type { IgnoredReason, NotificationEventData } from '../arrival/events.ts'
import { mailHashOf } from '../arrival/mail-hash.ts'
import type { Origin } from '../arrival/origin.ts'
import { keptRaw } from '../arrival/sizes.ts'
import type { NotificationSeen } from '../dedup/events.ts'
import type { Fact } from '../event.ts'
import { bankClaimedBy } from '../mail-trust/mail-trust.ts'
import type { Payment } from '../plan-order/plan-order.ts'
import { transactionDate } from '../reader/printed-time.ts'
import { tellsOneTimePassword } from '../reader/rejection.ts'
import type { Matched } from '../webhook/matching.ts'
import type { Movement } from './appraisal.ts'
import type { TransactionEventData } from './events.ts'

/** @param copyOf  record of the event's first notification. Null if this is the first. */
export const seen = (
  id: number,
  { sighting }: Movement,
  copyOf: number | null,
): Fact<'NotificationSeen', NotificationSeen> => ({
  type: 'NotificationSeen',
  data: { transaction_id: id, verdict: copyOf === null ? 'new' : 'copy', copy_of: copyOf, ...sighting },
})

type Captured = { type: 'TransactionCaptured'; data: TransactionEventData['TransactionCaptured'] }

/** The outcome of a match. A copy is recorded and never sent. The same holds for the payment of a plan. */
const outcomeOf = (
  matched: Matched,
  copyOf: number | null,
  payment: Payment | null,
): Pick<Captured['data'], keyof Matched | 'already_run_of'> => {
  if (copyOf !== null) return { already_run_of: copyOf, ...matched, rules: [], webhook_status: 'already_run' }
  return { already_run_of: null, ...matched, ...(payment && { rules: [], ...payment }) }
}

/**
 * @param payment  the result as the payment of a plan. Null if it is none.
 * @param contradicts  for a copy: the order id of the first notification, if the copy shows a different one, or says that the money came back
 */
export const captured = (
  id: number,
  userId: number,
  movement: Movement,
  copyOf: number | null,
  payment: Payment | null = null,
  contradicts: string | null = null,
): Captured => {
  const { arrival, origin, reading, matched, held } = movement
  const { transaction_date, transaction_date_source } = transactionDate(reading, arrival.arrived_at)
  const { order_id, prefix, rules, webhook_status, already_run_of } = outcomeOf(matched, copyOf, payment)
  return {
    type: 'TransactionCaptured',
    data: {
      transaction_id: id,
      user_id: userId,
      source_type: origin.source_type,
      source: origin.source,
      bank_code: reading.bank_code,
      bank_name: reading.bank_name,
      transaction_type: reading.transaction_type,
      amount: reading.amount,
      currency: reading.currency,
      account_number: reading.account_number,
      account_name: reading.account_name,
      transaction_ref: reading.transaction_ref,
      transaction_date,
      transaction_date_source,
      counterpart_account: reading.counterpart_account,
      counterpart_name: reading.counterpart_name,
      counterpart_bank: reading.counterpart_bank,
      description: arrival.incoming.text,
      content: reading.content,
      raw_data: keptRaw(arrival.raw),
      balance_after: reading.balance_after,
      order_id,
      prefix,
      rules,
      webhook_status,
      already_run_of,
      ...(held && copyOf === null && !payment && { held }),
      ...(contradicts !== null && { contradicts }),
      created_at: arrival.arrived_at.toISOString(),
    },
  }
}

const common = (id: number, userId: number, { arrival, origin }: { arrival: Arrival; origin: Origin }) => {
  const mail_hash = mailHashOf(arrival)
  return {
    notification_id: id,
    user_id: userId,
    source_type: origin.source_type,
    source: origin.source,
    stamp: arrival.stamp?.toISOString() ?? null,
    received_at: arrival.arrived_at.toISOString(),
    ...(mail_hash !== null && { mail_hash }),
  }
}

const fieldsOf = ({ incoming: { title, sender, from, subject, package: app }, posted_as }: Arrival) => ({
  posted_as,
  title: title ?? null,
  sender: sender ?? null,
  package: app ?? null,
  from: from ?? null,
  subject: subject ?? null,
})

export const unread = (
  id: number,
  userId: number,
  from: { arrival: Arrival; origin: Origin },
): Fact<'NotificationUnread', NotificationEventData['NotificationUnread']> => {
  const { incoming, raw, unsafe } = from.arrival
  return {
    type: 'NotificationUnread',
    data: {
      ...common(id, userId, from),
      ...fieldsOf(from.arrival),
      text: incoming.text,
      raw_data: keptRaw(raw),
      ...(unsafe && { unsafe }),
    },
  }
}

/** Reasons whose text is never stored: it is a secret, or its owner has deleted it. */
const WITHOUT_TEXT: ReadonlySet<IgnoredReason> = new Set(['otp', 'deleted'])

/** Mails that do not even claim to be from a bank are private, so their text is not stored either. An unreadable mail has none. */
const isPrivate = ({ mail, ignored_as }: Arrival): boolean =>
  mail !== undefined && ignored_as !== 'unreadable_mail' && bankClaimedBy(mail.headers) === null

/** The fields of an ignored notification that are kept beside its text. */
const keptOf = (arrival: Arrival) => {
  const raw_data = keptRaw(arrival.raw)
  return { ...fieldsOf(arrival), ...(!tellsOneTimePassword(raw_data) && { raw_data }) }
}

export const ignored = (
  id: number,
  userId: number,
  from: { arrival: Arrival; origin: Origin },
  reason: IgnoredReason,
): Fact<'NotificationIgnored', NotificationEventData['NotificationIgnored']> => {
  const { arrival } = from
  const data = { ...common(id, userId, from), reason }
  return WITHOUT_TEXT.has(reason) || isPrivate(arrival)
    ? { type: 'NotificationIgnored', data: { ...data, text: null } }
    : { type: 'NotificationIgnored', data: { ...data, text: arrival.incoming.text, ...keptOf(arrival) } }
}

/** Ends a notification that was kept unread: names the transaction that it now belongs to, or the reason why it is not one. */
export const reread = (
  {
    notification_id,
    user_id,
    source_type,
    received_at,
  }: Pick<Reread, 'notification_id' | 'user_id' | 'source_type' | 'received_at'>,
  outcome: ({ transaction_id: number } | { reason: IgnoredReason }) & { confirmed?: true },
): Fact<'NotificationReread', Reread> => ({
  type: 'NotificationReread',
  data: { notification_id, user_id, source_type, received_at, transaction_id: null, reason: null, ...outcome },
})

type Reread = NotificationEventData['NotificationReread']
