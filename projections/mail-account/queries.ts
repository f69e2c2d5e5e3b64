/** Mailboxes as the collector finds them, and what their owners see of them. */
import type { Mailbox } from '../../workflows/mail-ingest/mailbox.ts'
import type { Queryable } from '../engine/queryable.ts'

/** All that are to be collected: active, and not paused. Of a locked account too: what comes is stored, and its deliveries wait. */
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

/** By mail account; those that no collector has looked at are not in it. */
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

/** Mails of a user that are listed as no transaction: for which reasons, by `mail_hash`. */
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
