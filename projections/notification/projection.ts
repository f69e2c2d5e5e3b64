// Tests: tests/integration/http/notifications.test.ts
/**
 * Notifications that did not become a transaction: those that no reader has understood yet, and those that are not
 * transactions. The others are in `transaction`, under the same id if they were unread before.
 */
import { sourceTypeOf } from '../../domain/arrival/source-type.ts'
import { KEPT_IGNORED_S } from '../../domain/arrival/events.ts'
import { countOf } from '../engine/counter.ts'
import { insert, projection, remove, table, type Projection } from '../engine/definition.ts'

const notificationTable = table(
  'notification',
  {
    id: 'bigint',
    user_id: 'bigint',
    /** `unparsed` or `ignored` */
    status: 'text',
    source_type: 'text',
    source: 'text',
    reason: 'text',
    text: 'text',
    received_at: 'timestamptz',
    /** Only mails have one. */
    mail_hash: 'text',
    /** Why the text may have named its own fields. Only its owner's confirmation turns it into a transaction. */
    unsafe: 'text',
    /** Size of the texts that the store keeps for an unread notification. 0 for others, which expire by themselves. */
    bytes: 'integer',
    /** When the store hides its event. null: never. */
    expires_at: 'timestamptz',
  },
  {
    key: ['id'],
    indexes: [
      '(user_id, received_at DESC, id DESC)',
      '(expires_at) WHERE expires_at IS NOT NULL',
      '(user_id, mail_hash) WHERE mail_hash IS NOT NULL',
    ],
    expiresAt: 'expires_at',
    bySetting: { expires_at: 'KEEP_UNREAD' },
  },
)

/** Bytes of unread notifications per account, so that the limit is checked without summing them up. */
export const unreadBytes = countOf(
  notificationTable,
  'unread_bytes',
  { user_id: ['bigint', 'user_id'] },
  { weight: 'bytes' },
)

const after = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1_000).toISOString()

const bytesOf = (...texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** @param keepUnread  lifetime of unparsed notifications in the store, seconds */
export const notification = (keepUnread: number): Projection =>
  projection(
    notificationTable,
    { version: 5 },
    {
      NotificationUnread: ({ data, metadata }) => {
        const {
          notification_id: id,
          user_id,
          source,
          text,
          raw_data,
          received_at,
          mail_hash = null,
          unsafe = null,
        } = data
        return insert(notificationTable, {
        id, user_id, status: 'unparsed', source_type: sourceTypeOf(data, data), source, reason: 'unparsed', text, received_at, mail_hash, unsafe,
        bytes: bytesOf(text, raw_data), expires_at: after(metadata.at, keepUnread),
      }) // prettier-ignore
      },
      NotificationGivenUp: ({ data: { notification_id: id } }) => remove(notificationTable, { id }),
      NotificationReread: ({ data: { notification_id: id } }) => remove(notificationTable, { id }),
      NotificationIgnored: ({ data, metadata }) => {
        const { notification_id: id, user_id, source, reason, text, received_at, mail_hash = null } = data
        // Older events do not have the fields.
        const source_type = sourceTypeOf(data, data.sender === undefined ? null : data)
        return insert(notificationTable, {
        id, user_id, status: 'ignored', source_type, source, reason, text, received_at, mail_hash, unsafe: null,
        bytes: 0, expires_at: after(metadata.at, KEPT_IGNORED_S),
      }) // prettier-ignore
      },
    },
  )
