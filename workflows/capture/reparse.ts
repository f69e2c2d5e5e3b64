// Tests: tests/integration/http/notifications.test.ts
/**
 * Reads unread notifications again, after the reader has improved. A notification that is now understood becomes a
 * transaction with the notification's own id. The deduplication window treats it as if it had arrived now. No webhook
 * is sent for notifications older than `REPARSE_MAX_AGE`. It may run beside `serve`, twice at once, or be interrupted
 * and started again: the notification's own stream decides whether it is still unread, in the same append as the
 * transaction.
 */
import { isEventOf, type KnownEvent } from '../../domain/catalogue.ts'
import { isFoldable } from '../../domain/parse-event.ts'
import type { Arrival } from '../../domain/arrival/arrival.ts'
import {
  notificationEvents,
  unreadStream,
  type NotificationEventData,
  type Unsafe,
} from '../../domain/arrival/events.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import { transactionStream, type SourceType } from '../../domain/transaction/events.ts'
import { readable } from '../../domain/transaction/appraisal.ts'
import { reread } from '../../domain/transaction/capture.ts'
import { stamp, ownCause } from '../support/stamp.ts'
import type { Capture } from './capture.ts'

export interface ReparseParts {
  store: EventStore
  capture: Pick<Capture, 'take'>
  clock: Clock
  /** Older notifications send no webhook: milliseconds. */
  maxAgeMs: number
}

/** The input for reading one notification again. */
export interface Rereading extends ReparseParts {
  /** The owner confirms that an unsafe notification is genuine. */
  confirmed?: boolean
}

/** The current state of a notification that was kept unread. */
export interface Reread {
  id: number
  status: 'unparsed' | 'ignored' | 'captured'
  source_type: SourceType
  transaction_id: number | null
  reason: string | null
  received_at: string
  /** Why it needs its owner's confirmation to become a transaction; null if it does not. */
  unsafe: Unsafe | null
}

type Unread = NotificationEventData['NotificationUnread']

const { NotificationUnread, NotificationReread, NotificationGivenUp } = notificationEvents
/** The types that can be the last event of a notification's stream. */
const LAST = { NotificationUnread, NotificationReread, NotificationGivenUp }
type Last = KnownEvent<keyof typeof LAST>
type Outcome = KnownEvent<'NotificationUnread' | 'NotificationReread'>

/**
 * The notification as it arrived, with its time of arrival. So the deduplication window compares it with notifications
 * of that time.
 */
const arrivalOf = (unread: Unread, { clock, maxAgeMs, confirmed = false }: Rereading): Arrival => {
  const { notification_id, user_id, source, text, title, sender, from, subject, stamp, mail_hash, unsafe } = unread
  const arrived_at = new Date(unread.received_at)
  const silent = clock.now().getTime() - arrived_at.getTime() > maxAgeMs
  const given = Object.entries({ title, sender, package: unread.package, from, subject }).filter(
    ([, value]) => value !== null,
  )
  return {
    credential: { kind: 'kept', user_id, kept: { notification_id, source, silent, mail_hash, confirmed } },
    incoming: { text, ...(Object.fromEntries(given) as object) },
    posted_as: unread.posted_as,
    stamp: stamp === null ? null : new Date(stamp),
    arrived_at,
    raw: unread.raw_data,
    unsafe,
  }
}

/** The state according to the last event of its stream. */
const outcomeOf = ({ type, data }: Outcome): Reread => {
  const { notification_id: id, source_type, received_at } = data
  if (type === 'NotificationUnread') {
    const { unsafe = null } = data
    return { id, status: 'unparsed', source_type, transaction_id: null, reason: 'unparsed', received_at, unsafe }
  }
  const { transaction_id, reason } = data
  return {
    id,
    status: transaction_id === null ? 'ignored' : 'captured',
    source_type,
    transaction_id,
    reason,
    received_at,
    unsafe: null,
  }
}

/**
 * Whether it stays unread, as most do: then it costs no more than this check. An unsafe notification stays unread until
 * its owner confirms it, however well it can be read.
 */
const isStillUnread = (arrival: Arrival, { confirmed = false }: Rereading): boolean => {
  if (arrival.unsafe && !confirmed) return true
  const { incoming, arrived_at } = readable(arrival)
  return read(incoming, arrived_at).reason === 'unparsed'
}

/**
 * Closes a notification whose transaction exists but whose writer did not record that. The deduplication window may
 * have dropped it since.
 */
const closeFinished = async ({ store, clock, confirmed }: Rereading, unread: Unread): Promise<void> => {
  const { notification_id, user_id } = unread
  const fact = reread(unread, { transaction_id: notification_id, ...(unread.unsafe && confirmed && { confirmed }) })
  const events = stamp([fact], { user_id, at: clock.now(), ...ownCause(String(notification_id)) })
  await store.append([[{ stream: unreadStream(notification_id), expectedRevision: 0, events }]])
}

/** The last event of its stream; undefined if there is none. @throws {UnreadableEvent} */
const lastOf = async (store: EventStore, notificationId: number): Promise<Last | undefined> => {
  const [events = []] = await store.read([{ stream: unreadStream(notificationId) }])
  const last = events.filter(isFoldable).at(-1)
  return last && isEventOf(LAST, last) ? last : undefined
}

/**
 * @param userId  the owner that it must have
 * @returns null if this user has no such notification, or if it was given up
 * @throws {StoreUnavailable}
 */
export const rereadOne = async (parts: Rereading, userId: number, notificationId: number): Promise<Reread | null> => {
  const last = await lastOf(parts.store, notificationId)
  if (!last || last.data.user_id !== userId || last.type === 'NotificationGivenUp') return null
  if (last.type !== 'NotificationUnread') return outcomeOf(last)
  const unread = last.data
  const arrival = arrivalOf(unread, parts)
  if (isStillUnread(arrival, parts)) return outcomeOf(last)
  const [[captured] = []] = await parts.store.read([{ stream: transactionStream(notificationId), limit: 1 }])
  if (captured) await closeFinished(parts, unread)
  else await parts.capture.take([arrival])
  const now = await lastOf(parts.store, notificationId)
  return outcomeOf(now && now.type !== 'NotificationGivenUp' ? now : last)
}

export interface Reparsed {
  captured: number
  ignored: number
  unparsed: number
}

/** Notifications that are read at the same time. Each takes a few round trips. */
const AT_ONCE = 20

/**
 * Reads all unread notifications again, oldest first.
 * @throws {StoreUnavailable} what was done before stays
 */
export const reparse = async (parts: ReparseParts, signal: AbortSignal): Promise<Reparsed> => {
  const counts: Reparsed = { captured: 0, ignored: 0, unparsed: 0 }
  for await (const { events, live } of parts.store.subscribe({ after: null, prefixes: ['unread-'], signal })) {
    const unread = events.flatMap((event) => (event.type === 'NotificationUnread' ? [event.data] : []))
    for (let at = 0; at < unread.length && !signal.aborted; at += AT_ONCE) {
      const some = unread.slice(at, at + AT_ONCE)
      const closed = await Promise.all(some.map(({ notification_id }) => lastOf(parts.store, notification_id)))
      const open = some.filter((_, n) => closed[n]?.type === 'NotificationUnread')
      const outcomes = await Promise.all(
        open.map(({ user_id, notification_id }) => rereadOne(parts, user_id, notification_id)),
      )
      for (const outcome of outcomes) if (outcome) counts[outcome.status]++
    }
    if (live || signal.aborted) break
  }
  return counts
}
