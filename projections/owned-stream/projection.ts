// Tests: tests/attack/account-deletion.test.ts
/**
 * Streams of an account that no other read model lists, so that the deletion of the account finds them without reading the
 * store: the orders of plans, and notifications that were read or given up. A deleted account has no rows here, like in
 * every table with a `user_id`.
 */
import { insert, projection, table, type Projection } from '../engine/definition.ts'

const ownedStreamTable = table(
  'owned_stream',
  {
    stream: 'text',
    user_id: 'bigint',
    /** When the store hides its last event. null: never. */
    expires_at: 'timestamptz',
  },
  {
    key: ['stream'],
    indexes: ['(user_id)', '(expires_at) WHERE expires_at IS NOT NULL'],
    expiresAt: 'expires_at',
    bySetting: { expires_at: 'KEEP_UNREAD' },
  },
)

/** @param keepUnread  lifetime of unparsed notifications in the store, seconds */
export const ownedStream = (keepUnread: number): Projection => {
  const own = (stream: string, user_id: number, expires_at: string | null) =>
    insert(ownedStreamTable, { stream, user_id, expires_at })
  const hiddenAfter = (at: string): string => new Date(Date.parse(at) + keepUnread * 1_000).toISOString()
  return projection(
    ownedStreamTable,
    { version: 1 },
    {
      PlanOrdered: ({ stream, data }) => own(stream, data.user_id, null),
      NotificationReread: ({ stream, data, metadata }) => own(stream, data.user_id, hiddenAfter(metadata.at)),
      NotificationGivenUp: ({ stream, data, metadata }) => own(stream, data.user_id, hiddenAfter(metadata.at)),
    },
  )
}
