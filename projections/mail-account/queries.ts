// Tests: tests/integration/http/mail-accounts.test.ts
/** Mailboxes as the collector reads them, and their state as their owners see it. */
import type { Mailbox } from '../../workflows/mail-ingest/mailbox.ts'
import type { Queryable } from '../engine/queryable.ts'

/**
 * All mailboxes to collect: active and not paused. Those of locked accounts too: their notifications are stored, and
 * their deliveries wait.
 */
export const activeMailboxes = (database: Queryable): Promise<Mailbox[]> =>
  database.query<Mailbox>(
    `SELECT mail_account_id, user_id, host, port, tls, username, sealed_password, folder, since, account_revision
     FROM read_model.mail_account WHERE is_active = 1 AND paused IS NULL ORDER BY mail_account_id`,
    [],
    'active-mailboxes',
  )

export interface MailboxState {
  last_error: string | null
  last_message_at: string | null
}

/** By mail account. Accounts that no collector has read yet are not in it. */
export const mailboxStates = async (
  database: Queryable,
  mailAccountIds: readonly number[],
): Promise<Map<number, MailboxState>> => {
  const rows = await database.query<MailboxState & { mail_account_id: number }>(
    'SELECT mail_account_id, last_error, last_message_at FROM ops.mailbox WHERE mail_account_id = ANY($1::bigint[])',
    [mailAccountIds],
    'mailbox-states',
  )
  return new Map(rows.map(({ mail_account_id, ...state }) => [mail_account_id, state]))
}

/** A user's mails that are listed as notifications but became no transaction: the reasons, by `mail_hash`. */
export const listedMails = async (
  database: Queryable,
  userId: number,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string[]>> => {
  const rows = await database.query<{ mail_hash: string; reasons: string[] }>(
    `SELECT mail_hash, array_agg(reason) AS reasons FROM read_model.notification
     WHERE user_id = $1 AND mail_hash = ANY($2::text[]) GROUP BY mail_hash`,
    [userId, hashes],
    'listed-mails',
  )
  return new Map(rows.map(({ mail_hash, reasons }) => [mail_hash, reasons]))
}
