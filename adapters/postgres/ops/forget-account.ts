// Tests: tests/attack/account-deletion.test.ts
/**
 * Removes a deleted account's rows from the operational tables. Rows of the read models are removed with the account's
 * events. A process that is still running may write a row a moment later from its memory. `sweepForgotten` removes such rows
 * too.
 */
import { sha256 } from '../../../domain/sha256.ts'
import { normalEmail } from '../../../domain/account/access.ts'
import type { DeletedAccount } from '../../../workflows/accounts/delete-account.ts'
import { type ScheduledJob, removing } from '../../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../../database/database.ts'

const BY_USER = [
  'ops.heard',
  'ops.endpoint',
  'ops.inbox_call',
  'ops.login_place',
  'ops.api_key_use',
  'ops.sign_in_link',
  'ops.snapshot',
  'ops.snapshot_part',
] as const
/** Their keys contain the account and how often it was unlocked: `7.0`. */
const BY_NAME = ['ops.conduct_calls', 'ops.conduct_run', 'ops.conduct_parallel'] as const

/** The form in which rate limits name an email (`adapters/http/middleware/rate-limits.ts`). */
const hashOfEmail = (email: string): string => sha256(normalEmail(email), 'base64url')

/** A counter's key is the limit's name and the caller: an account, the hash of its email, or the token hash of a device. */
const RATE_LIMITS = `DELETE FROM ops.rate_limit WHERE substring(key FROM position(':' IN key) + 1) = ANY ($1)`

/** Mails to the account, and mails to the operator that mention it. */
const MAILS = 'DELETE FROM ops.outbox WHERE recipient = $1 OR lower(subject) ~ $2 OR lower(body) ~ $2'

/** A pattern of Postgres that finds an email, but no longer one that contains it. */
const mentions = (email: string): string =>
  `(?<![[:alnum:].!#$%&*+/=?^_{|}~-])${email.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}(?![[:alnum:]-]|\\.[[:alnum:]])`

/** @returns a function that removes all rows of an account; called again, it removes rows that were added since */
export const forgetAccount =
  (database: Queryable) =>
  async ({ user_id, email, rules, mail_accounts, transactions, token_hashes }: DeletedAccount): Promise<void> => {
    for (const table of BY_USER) await database.query(`DELETE FROM ${table} WHERE user_id = $1`, [user_id])
    for (const table of BY_NAME)
      await database.query(`DELETE FROM ${table} WHERE split_part(who, '.', 1) = $1`, [String(user_id)])
    await database.query(RATE_LIMITS, [[String(user_id), hashOfEmail(email), ...token_hashes]])
    await database.query(MAILS, [normalEmail(email), mentions(normalEmail(email))])
    await database.query('DELETE FROM ops.mailbox WHERE mail_account_id = ANY ($1)', [mail_accounts])
    await database.query('DELETE FROM ops.pace WHERE rule_id = ANY ($1)', [rules])
    await database.query('DELETE FROM ops.claim WHERE transaction_id = ANY ($1)', [transactions])
  }

const EVERY_HOUR = '32 * * * *'

/** A collector may write a row of a mailbox that was just removed, so removing it with the mailbox would not be enough. */
const REMOVED_MAILBOXES = `DELETE FROM ops.mailbox t WHERE EXISTS (SELECT FROM read_model.account)
  AND NOT EXISTS (SELECT FROM read_model.mail_account a WHERE a.mail_account_id = t.mail_account_id) RETURNING 1`

/**
 * Removes rows of deleted accounts and of removed mailboxes. Does nothing while the read models are being rebuilt, because no accounts are listed
 * then.
 */
export const sweepForgotten = (database: Queryable): ScheduledJob =>
  removing('sweep_forgotten', EVERY_HOUR, async () => {
    let swept = (await database.query(REMOVED_MAILBOXES)).length
    for (const table of BY_USER) {
      const rows = await database.query(
        `DELETE FROM ${table} t WHERE EXISTS (SELECT FROM read_model.account)
           AND NOT EXISTS (SELECT FROM read_model.account a WHERE a.user_id = t.user_id) RETURNING 1`,
      )
      swept += rows.length
    }
    return swept
  })
