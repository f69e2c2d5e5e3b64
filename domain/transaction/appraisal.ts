// Tests: tests/unit/domain/transaction/appraisal.test.ts, tests/unit/domain/transaction/capture.test.ts
/**
 * Appraises a notification: whether it is a transaction, whether its source is trusted, and which of its values are compared. The
 * deduplication window then gives the verdict, and `capture.ts` creates the facts. Pure: the time comes with the arrival.
 */
import type { Account } from '../account/account.ts'
import { isUnconfirmed } from '../account/bank-accounts.ts'
import { activePrefixes } from '../account/systems.ts'
import { DEDUP_RETENTION_S, type Sighting } from '../dedup/events.ts'
import { cutAt, fingerprintOf, marksOf } from '../dedup/text-marks.ts'
import { creditMarks } from '../credits/mark.ts'
import type { Arrival } from '../arrival/arrival.ts'
import type { IgnoredReason } from '../arrival/events.ts'
import { startOfForwardersLines } from '../reader/page.ts'
import { couldChange, findOrderId, orderIdOf } from '../reader/order-id.ts'
import { cameBack } from '../reader/returned.ts'
import { isOld } from '../arrival/old-texts.ts'
import { DAY_MS } from '../time.ts'
import { distrust, originOf, type Origin } from '../arrival/origin.ts'
import type { ReceivePath } from '../arrival/receive-paths.ts'
import type { Incoming, Reading, ReadResult, Reference } from '../reader/reading.ts'
import { asCut, isOfMovement, mayBeCut, mayLackItsEnd } from '../reader/references.ts'
import { tellsOneTimePassword } from '../reader/rejection.ts'
import { cutToBytes, NAME_BYTES, TEXT_BYTES } from '../arrival/sizes.ts'
import { namedPlanOrder, type PlanAccount } from '../plan-order/plan-order.ts'
import { inPlace, normalise, squeeze, withoutEnd } from '../text.ts'
import { match, type Matched } from '../webhook/matching.ts'
import type { HeldFor } from './events.ts'

/** The appraisal of a notification, before the deduplication window is consulted. */
export type Appraised =
  | { kind: 'unread'; arrival: Arrival; origin: Origin }
  | { kind: 'ignored'; arrival: Arrival; origin: Origin; reason: IgnoredReason }
  | Movement

/** A notification from a trusted source that money moved. */
export interface Movement {
  kind: 'movement'
  arrival: Arrival
  origin: Origin
  reading: Reading
  sighting: Sighting
  /** The match as if this were the first notification of its event. */
  matched: Matched
  /** The plan order that it may pay for. Only a credit to the operator's own account that names an order has one. */
  plan_order_id: number | null
  /** The marks under which a credit may be remembered for two years. None if it cannot be older than the deduplication window. */
  marks: readonly number[]
  /** Why nothing is sent for it automatically. Null if it may be sent. */
  held: HeldFor | null
}

/** The form of a text that is compared: normalised, with every run of blanks and line ends as one blank. */
const inOneLine = (squeezed: string): string => squeezed.replaceAll('\n', ' ')
const comparable = (text: string): string => inOneLine(squeeze(normalise(text)))

/**
 * The content of an SMS is its text, whichever app shows it. In other channels the title or subject is part of the content.
 * @returns `text`: the whole content. `sent`: its beginning, as the bank sent it. `lines`: what a forwarder app has added behind that
 */
const wholeText = ({ incoming }: Arrival, { channel }: Origin): Record<'text' | 'sent' | 'lines', string> => {
  const squeezed = squeeze(
    normalise(
      channel === 'sms' ? incoming.text : [incoming.title, incoming.subject, incoming.text].filter(Boolean).join('\n'),
    ),
  )
  const end = startOfForwardersLines(squeezed)
  return { text: inOneLine(squeezed), sent: inOneLine(squeezed.slice(0, end)), lines: squeezed.slice(end) }
}

/**
 * The order id of a cut memo is a guess: the whole memo may name one that has precedence. So is that of a long SMS, if it could be another one, and
 * one that ends where its bank breaks the memo.
 * @param prefixes  of the user's active systems
 */
const sightingOf = (
  { arrival, origin, reading, matched }: Pick<Movement, 'arrival' | 'origin' | 'reading' | 'matched'>,
  prefixes: readonly string[],
): Sighting => {
  const { channel } = origin
  const { text, sent, lines } = wholeText(arrival, origin)
  const time = reading.time_in_memo ? null : reading.printed_time
  const messageId = arrival.mail?.message_id
  const { order_id, prefix } = matched
  const given = arrival.incoming.text
  const mayLackEnd = channel === 'sms' && mayLackItsEnd(lines === '' ? given : withoutEnd(inPlace(given), lines))
  const mayGoOn =
    order_id !== null &&
    ((mayLackEnd && couldChange({ order_id, prefix }, sent, prefixes)) ||
      (reading.joined_content !== undefined && findOrderId(reading.joined_content, prefixes)?.order_id !== order_id))
  const isPartial = (reference: Reference): boolean =>
    (mayLackEnd && mayBeCut(reference, sent)) || (reading.cut && !isOfMovement(reference))
  return {
    source: origin.source,
    stamp: arrival.stamp?.toISOString() ?? null,
    arrived_at: arrival.arrived_at.toISOString(),
    fingerprint: fingerprintOf(text),
    marks: marksOf(text),
    cut_at: cutAt(sent) ?? (mayGoOn ? sent.length : null),
    direction: reading.transaction_type,
    amount: reading.amount,
    currency: reading.currency,
    account_number: reading.account_number,
    balance: reading.balance_after,
    references: reading.references.map((reference) => (isPartial(reference) ? asCut(reference) : reference)),
    printed_time: time && time.precision !== 'day' ? { at: time.at, precision: time.precision } : null,
    order_id,
    prefix: reading.cut || mayGoOn ? null : prefix,
    content_hash: reading.content === null ? null : fingerprintOf(comparable(reading.content)),
    ...(messageId ? { message_id_hash: fingerprintOf(messageId) } : {}),
  }
}

/**
 * Whether the bank printed a date with its year within the time of the deduplication window, less a day for clocks that differ. Then the
 * window has all notifications of this payment, and a reference that was remembered longer ago is one that the payer wrote again. A
 * notification that was kept may be read after the window has dropped the others.
 */
const isOfThisWeek = ({ arrived_at, credential }: Arrival, { printed_time: printed, time_in_memo }: Reading): boolean =>
  credential.kind !== 'kept' &&
  printed !== null &&
  printed.year_printed &&
  time_in_memo !== 'alone' &&
  arrived_at.getTime() - Date.parse(printed.at) < DEDUP_RETENTION_S * 1_000 - DAY_MS

const LIMITS = {
  text: TEXT_BYTES,
  title: NAME_BYTES,
  sender: NAME_BYTES,
  package: NAME_BYTES,
  subject: NAME_BYTES,
} as const

/** Cuts texts and names to the length that the reader uses. */
export const readable = (arrival: Arrival): Arrival => {
  const { incoming } = arrival
  let cut: Incoming | null = null
  for (const name of ['text', 'title', 'sender', 'package', 'subject'] as const) {
    const given = incoming[name]
    if (given === undefined || given.length * 3 <= LIMITS[name]) continue
    const kept = cutToBytes(given, LIMITS[name])
    if (kept !== given) cut = { ...(cut ?? incoming), [name]: kept }
  }
  return cut === null ? arrival : { ...arrival, incoming: cut }
}

const isSilent = ({ credential }: Arrival): boolean => credential.kind === 'kept' && credential.kept.silent

/** Whether the owner vouches for it. Its fields prove nothing, so they are not checked. */
export const isConfirmed = ({ credential, unsafe }: Arrival): boolean =>
  unsafe !== undefined && credential.kind === 'kept' && credential.kept.confirmed === true

/** Keeps it until its owner confirms it. If another field of its body may contain a one-time password, that field is not kept. */
const appraiseUnsafe = (arrival: Arrival, origin: Origin, { reading }: ReadResult): Appraised => {
  if (!tellsOneTimePassword(arrival.raw)) return { kind: 'unread', arrival, origin }
  if (!reading) return { kind: 'ignored', arrival, origin, reason: 'otp' }
  return { kind: 'unread', arrival: { ...arrival, raw: JSON.stringify({ text: arrival.incoming.text }) }, origin }
}

/**
 * Why a notification is held back: it is old (decision T5), or it is a credit to a bank account that its owner has not confirmed
 * (T6). A debit pays nothing, so it does not wait for the confirmation.
 */
const heldFor = (
  account: Account,
  arrival: Arrival,
  reading: Reading,
  { old, isReturn, plans }: { old: boolean; isReturn: boolean; plans: PlanAccount | null },
): HeldFor | null => {
  if (old || isSilent(arrival)) return 'old_notification'
  // The confirmation would send it.
  const waits =
    !isReturn && reading.transaction_type === 'credit' && isUnconfirmed(account, reading, arrival.arrived_at, plans)
  return waits ? 'unconfirmed_account' : null
}

/** As if no rule had matched. The owner can still send it with a manual retry. A transaction without an order id stays `skipped`. */
export const unsent = (matched: Matched): Matched =>
  matched.webhook_status === 'pending' ? { ...matched, rules: [], webhook_status: 'no_match' } : matched

/**
 * Whether money came back that names an order. The bank repeats the memo of the transfer that failed, such as the shop's own refund of that order.
 */
const isReturnOf = ({ order_id }: Matched, reading: Reading, text: string): boolean =>
  order_id !== null && cameBack(reading, text)

/** As if no prefix had matched: the order id is shown, and pays nothing by itself. The owner can still send it with a manual retry. */
const unowned = (matched: Matched): Matched => ({ ...matched, prefix: null, rules: [], webhook_status: 'no_match' })

/**
 * @param path  the receive path of its credential
 * @param plans  the account that plans are paid to, if plans can be bought
 * @param oldAfterMs  age in milliseconds at arrival above which it is recorded but not sent (`REPARSE_MAX_AGE`)
 */
export const appraise = (
  account: Account,
  path: ReceivePath,
  arrival: Arrival,
  read: ReadResult,
  plans: PlanAccount | null = null,
  oldAfterMs = DAY_MS,
): Appraised => {
  const { incoming } = arrival
  const origin = originOf(path, arrival, read.reading?.layout ?? null)
  if (arrival.ignored_as) return { kind: 'ignored', arrival, origin, reason: arrival.ignored_as }
  const distrusted = distrust({ account, arrival, origin, bankCode: read.reading?.bank_code ?? null })
  // A mailbox receives mails from everybody. Mails of other senders are not examined.
  if (distrusted && origin.channel === 'mail') return { kind: 'ignored', arrival, origin, reason: distrusted }
  if (read.reading === null && read.reason !== 'unparsed')
    return { kind: 'ignored', arrival, origin, reason: read.reason }
  const confirmed = isConfirmed(arrival)
  if (arrival.unsafe && !confirmed) return appraiseUnsafe(arrival, origin, read)
  if (distrusted && !confirmed) return { kind: 'ignored', arrival, origin, reason: distrusted }
  const { reading } = read
  if (!reading) return { kind: 'unread', arrival, origin }
  const prefixes = activePrefixes(account)
  const found = match(account, reading, orderIdOf(reading.content, incoming.text, prefixes))
  const isReturn = isReturnOf(found, reading, incoming.text)
  const named = isReturn ? null : namedPlanOrder(account, reading, incoming.text, plans)
  const old = isOld(arrival, reading, oldAfterMs)
  const held = heldFor(account, arrival, reading, { old, isReturn, plans })
  // Without a prefix of the operator's own shops, an order id is a guess. The order id of a plan is not.
  const matched: Matched =
    named && found.prefix === null
      ? { order_id: named.order_id, prefix: named.prefix, rules: [], webhook_status: 'no_match' }
      : held
        ? unsent(found)
        : found
  return {
    kind: 'movement',
    arrival,
    origin,
    reading,
    matched: isReturn ? unowned(matched) : matched,
    plan_order_id: old ? null : (named?.plan_order_id ?? null),
    marks: reading.transaction_type === 'credit' && !isOfThisWeek(arrival, reading) ? creditMarks(reading) : [],
    held,
    sighting: sightingOf({ arrival, origin, reading, matched }, prefixes),
  }
}
