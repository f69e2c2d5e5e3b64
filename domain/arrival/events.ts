/** Notifications that became no transaction: a stream `unread-<id>` each, and one `ignored-<user>` for the rest. */
import { z } from 'zod'
import { sourceType } from '../transaction/events.ts'

const id = z.int().positive()
const moment = z.iso.datetime()

/** How long what is ignored is kept, seconds. */
export const KEPT_IGNORED_S = 30 * 86_400
/** Default lifetime of an unparsed notification, seconds: one year. */
export const KEPT_UNREAD_S = 365 * 86_400

const ignoredReason = z.enum([
  'otp', 'promotion', 'login', 'bill', 'failed', 'reminder', 'statement', 'balance_only', 'chat', 'test_message',
  'placeholder', 'empty', 'ping', 'too_long', 'unknown_sender', 'unknown_app', 'unauthenticated_sender', 'deleted',
]) // prettier-ignore
export type IgnoredReason = z.infer<typeof ignoredReason>

/**
 * Why a text may have named the fields of the body it came in (decisions, "Trust", T2): a name occurs twice, one field is given under two
 * names with different values, or the JSON was not exact.
 */
export const unsafeKind = z.enum(['duplicate_key', 'two_names', 'broken_json'])
export type Unsafe = z.infer<typeof unsafeKind>

const seen = {
  notification_id: id,
  user_id: id,
  source_type: sourceType,
  source: z.string(),
  /** The phone's or mail's own time. */
  stamp: moment.nullable(),
  received_at: moment,
  /** Of a mail: by which it is known when its mailbox is read again. */
  mail_hash: z.string().optional(),
}

export const notificationEvents = {
  /** Kept with all that the reader needs, so that a better reader can make a transaction of it. */
  NotificationUnread: z.object({
    ...seen,
    posted_as: z.enum(['sms', 'notification']).nullable(),
    text: z.string(),
    title: z.string().nullable(),
    sender: z.string().nullable(),
    package: z.string().nullable(),
    from: z.string().nullable(),
    subject: z.string().nullable(),
    raw_data: z.string(),
    /** Where it is given, only the owner's confirmation makes a transaction of it. */
    unsafe: unsafeKind.optional(),
  }),
  /** The end of one that was kept: holds no personal data, as it is the event that stays when the stream is erased. */
  NotificationReread: z.object({
    notification_id: id,
    user_id: id,
    source_type: sourceType,
    received_at: moment,
    /** Of which transaction it is now: its own, under its own id, or the one that it turned out to be a resend of. */
    transaction_id: id.nullable(),
    /** Why it is no transaction after all. */
    reason: ignoredReason.nullable(),
    /** The owner has confirmed that the unsafe notification is genuine. */
    confirmed: z.literal(true).optional(),
  }),
  /** The end of one that was kept, as the account has too many bytes of them: holds no personal data. */
  NotificationGivenUp: z.object({ notification_id: id, user_id: id, source_type: sourceType, received_at: moment }),
  NotificationIgnored: z.object({
    ...seen,
    reason: ignoredReason,
    /** Never that of a one-time password, nor of a transaction that its owner deleted. */
    text: z.string().nullable(),
  }),
}

type Schemas = typeof notificationEvents
export type NotificationEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }

export const unreadStream = (notificationId: number): string => `unread-${notificationId}`
export const ignoredStream = (userId: number): string => `ignored-${userId}`
