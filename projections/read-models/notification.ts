/**
 * Notifications that became no transaction: those that no reader understood yet, and those that are none. Those that became
 * one are in `transaction`, under the same id where they were unread before.
 */
import { insert, projection, remove, table } from '../definition.ts'
import { KEPT_IGNORED_S } from '../../domain/notification/events.ts'

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
    /** Of a mail. */
    mail_hash: 'text',
    /** Why a text may have named its fields: only its owner's confirmation makes a transaction of it. */
    unsafe: 'text',
    /** When the store hides its event; null: it is kept until it is read. */
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
  },
)

const expiry = (at: string): string => new Date(Date.parse(at) + KEPT_IGNORED_S * 1_000).toISOString()

export const notification = projection(
  notificationTable,
  { version: 3 },
  {
    NotificationUnread: ({ data }) => {
      const {
        notification_id: id,
        user_id,
        source_type,
        source,
        text,
        received_at,
        mail_hash = null,
        unsafe = null,
      } = data
      return insert(notificationTable, {
        id, user_id, status: 'unparsed', source_type, source, reason: 'unparsed', text, received_at, mail_hash, unsafe,
        expires_at: null,
      }) // prettier-ignore
    },
    NotificationReread: ({ data: { notification_id: id } }) => remove(notificationTable, { id }),
    NotificationIgnored: ({ data, metadata }) => {
      const { notification_id: id, user_id, source_type, source, reason, text, received_at, mail_hash = null } = data
      return insert(notificationTable, {
        id, user_id, status: 'ignored', source_type, source, reason, text, received_at, mail_hash, unsafe: null,
        expires_at: expiry(metadata.at),
      }) // prettier-ignore
    },
  },
)
