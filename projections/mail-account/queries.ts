// Tests: tests/integration/mail-ingest/failing.test.ts
/** Mailboxes as the collector reads them, and their state as their owners see it. */
import type { Mailbox } from '../../workflows/mail-ingest/mailbox.ts'
import type { FailingMailbox, LastingMailboxAlert } from '../../workflows/scheduled/watch-mailboxes.ts'
import type { Queryable } from '../engine/queryable.ts'

/** Most mailboxes in one look. Those that have failed for longest come first. */
const MOST_FAILING = 1_000

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

/** Mailboxes that have failed for longer than a lost connection takes to return. A paused mailbox has its own alert. */
export const failingMailboxes = (database: Queryable, afterSeconds: number): Promise<FailingMailbox[]> =>
  database.query<FailingMailbox>(
    `SELECT a.user_id, a.mail_account_id, a.username, a.host, m.last_error AS reason, m.failing_since AS since
     FROM read_model.mail_account a JOIN ops.mailbox m USING (mail_account_id)
     WHERE a.is_active = 1 AND a.paused IS NULL AND m.failing_since <= now() - make_interval(secs => $1)
     ORDER BY m.failing_since LIMIT ${MOST_FAILING}`,
    [afterSeconds],
    'failing-mailboxes',
  )

/** Open alerts about failing mailboxes. */
export const lastingMailboxAlerts = (database: Queryable): Promise<LastingMailboxAlert[]> =>
  database.query<LastingMailboxAlert>(
    `SELECT l.user_id, l.subject, now() AS looked_at,
       (SELECT count(*) FROM read_model.alert earlier
         WHERE earlier.user_id = l.user_id AND earlier.since > now() - interval '1 day' AND earlier.kind = l.kind
           AND earlier.subject = l.subject) AS alerts,
       a.mail_account_id IS NOT NULL AND (a.paused IS NOT NULL OR m.failing_since IS NOT NULL) AS is_failing,
       a.mail_account_id IS NOT NULL AS is_used
     FROM read_model.alert l
     LEFT JOIN read_model.mail_account a ON l.subject = 'mail_account:' || a.mail_account_id AND a.user_id = l.user_id
       AND (a.is_active = 1 OR a.paused IS NOT NULL)
     LEFT JOIN ops.mailbox m ON m.mail_account_id = a.mail_account_id
     WHERE l.kind = 'mailbox_failing' AND l.until IS NULL`,
    [],
    'lasting-mailbox-alerts',
  )

/** Mailboxes that should be read and cannot be, paused ones too. */
export const countFailingMailboxes = async (database: Queryable): Promise<number> => {
  const [row] = await database.query<{ failing: number }>(
    `SELECT count(*) AS failing FROM read_model.mail_account a LEFT JOIN ops.mailbox m USING (mail_account_id)
     WHERE a.is_active = 1 AND (a.paused IS NOT NULL OR m.failing_since IS NOT NULL)`,
    [],
    'count-failing-mailboxes',
  )
  return row!.failing
}

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
