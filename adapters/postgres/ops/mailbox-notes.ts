// Tests: tests/integration/mail-ingest/collect.test.ts
/** Progress and status of mailboxes: `ops.mailbox`. */
import type { MailboxNotes, MailboxPosition } from '../../../workflows/mail-ingest/mailbox.ts'
import type { Queryable } from '../../database/database.ts'

export const openMailboxNotes = (database: Queryable): MailboxNotes => ({
  position: async ({ mail_account_id, since }) => {
    const [position] = await database.query<MailboxPosition>(
      `SELECT uid_validity, uid FROM ops.mailbox
       WHERE mail_account_id = $1 AND since = $2::timestamptz AND uid_validity IS NOT NULL`,
      [mail_account_id, since],
      'mailbox-position',
    )
    return position ?? null
  },
  keepPosition: async ({ mail_account_id, since }, { uid_validity, uid }, lastMessageAt) => {
    await database.query(
      `INSERT INTO ops.mailbox AS m (mail_account_id, since, uid_validity, uid, last_message_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (mail_account_id) DO UPDATE SET since = excluded.since, uid_validity = excluded.uid_validity,
         uid = excluded.uid, last_message_at = greatest(m.last_message_at, excluded.last_message_at)`,
      [mail_account_id, since, uid_validity, uid, lastMessageAt],
      'mailbox-keep',
    )
  },
  report: async ({ mail_account_id }, error) => {
    await database.query(
      `INSERT INTO ops.mailbox AS m (mail_account_id, last_error, failing_since)
       VALUES ($1, $2, CASE WHEN $2::text IS NOT NULL THEN now() END)
       ON CONFLICT (mail_account_id) DO UPDATE SET last_error = excluded.last_error,
         failing_since = CASE WHEN excluded.last_error IS NOT NULL THEN coalesce(m.failing_since, now()) END
       WHERE m.last_error IS DISTINCT FROM excluded.last_error`,
      [mail_account_id, error],
      'mailbox-tell',
    )
  },
})
