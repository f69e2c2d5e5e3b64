// Tests: tests/unit/domain/transaction/capture.test.ts
/** Notifications that became no transaction: one stream `unread-<id>` for each unread one, and one `ignored-<user>` for the rest. */
import { z } from 'zod'
import { sourceType } from '../transaction/events.ts'
import { id, moment } from '../fields.ts'

/** How long ignored notifications are kept, in seconds. */
export const KEPT_IGNORED_S = 30 * 86_400
/** Default lifetime of an unparsed notification in seconds: one year. */
export const KEPT_UNREAD_S = 365 * 86_400

const ignoredReason = z.enum([
  'otp', 'promotion', 'login', 'bill', 'failed', 'reminder', 'statement', 'balance_only', 'chat', 'test_message',
  'placeholder', 'empty', 'ping', 'too_long', 'unknown_sender', 'unknown_app', 'unauthenticated_sender', 'unreadable_mail', 'deleted',
]) // prettier-ignore
export type IgnoredReason = z.infer<typeof ignoredReason>

/**
 * Why a text may have named the fields of its body (decisions, "Trust", T2): a name occurs twice, one field is given under two
 * names with different values, or the JSON was not exact.
 */
export const unsafeKind = z.enum(['duplicate_key', 'two_names', 'broken_json'])
export type Unsafe = z.infer<typeof unsafeKind>

const seen = {
  notification_id: id,
  user_id: id,
  source_type: sourceType,
  source: z.string(),
  /** The time that the phone or mail states itself. */
  stamp: moment.nullable(),
  received_at: moment,
  /** Only for a mail: identifies it when its mailbox is read again. */
  mail_hash: z.string().optional(),
}

/** The fields of the notification beside its text, as they arrived. */
const fields = {
  posted_as: z.enum(['sms', 'notification']).nullable(),
  title: z.string().nullable(),
  sender: z.string().nullable(),
  package: z.string().nullable(),
  from: z.string().nullable(),
  subject: z.string().nullable(),
  raw_data: z.string(),
}

const { posted_as, ...others } = fields

export const notificationEvents = {
  /** Kept with everything that the reader needs, so that a better reader can turn it into a transaction. */
  NotificationUnread: z.object({
    ...seen,
    posted_as,
    text: z.string(),
    ...others,
    /** If present, only the owner's confirmation turns it into a transaction. */
    unsafe: unsafeKind.optional(),
  }),
  /** Ends a notification that was kept. Contains no personal data, because it is the event that stays when the stream is erased. */
  NotificationReread: z.object({
    notification_id: id,
    user_id: id,
    source_type: sourceType,
    received_at: moment,
    /** The transaction that it now belongs to: its own, under its own id, or the one that it turned out to be a resend of. */
    transaction_id: id.nullable(),
    /** Why it is not a transaction after all. */
    reason: ignoredReason.nullable(),
    /** The owner has confirmed that the unsafe notification is genuine. */
    confirmed: z.literal(true).optional(),
  }),
  /** Ends a notification that was kept, because the account has too many bytes of them. Contains no personal data. */
  NotificationGivenUp: z.object({ notification_id: id, user_id: id, source_type: sourceType, received_at: moment }),
  NotificationIgnored: z.object({
    ...seen,
    reason: ignoredReason,
    /** Null for a one-time password, and for a transaction that its owner deleted. */
    text: z.string().nullable(),
    /** Only beside a text, and not in events of older releases. Without `raw_data` if the body contains a one-time password. */
    ...z.object(fields).partial().shape,
  }),
}

type Schemas = typeof notificationEvents
export type NotificationEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }

export const unreadStream = (notificationId: number): string => `unread-${notificationId}`
/** The revision of such a stream while it contains only its notification. */
export const UNREAD_ONLY = 0
export const ignoredStream = (userId: number): string => `ignored-${userId}`
