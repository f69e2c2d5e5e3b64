/**
 * Mail accounts: mailboxes that bank mails are collected from. The limit of the plan (interface, section 8) is decided on the
 * account's own events, so that parallel calls cannot exceed it.
 */
import { Refused } from '../errors.ts'
import { normalEmail } from './access.ts'
import type { Account, MailAccount, MailAccountFields } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'
import { refuseOverPlan } from './plan.ts'
import { conflict, invalid, notFound } from './refusals.ts'

/** If one of these changes, it is another mailbox. Mails that arrived there earlier are not fetched. */
const WHICH_MAILBOX = ['host', 'username', 'folder'] as const

/** The destination of the password. With another value of one of these, it could be sent to a stranger's server. */
const BELONGS_TO = ['host', 'port', 'tls', 'username'] as const

const needsPassword = (changed: readonly string[]): Refused =>
  invalid({
    path: 'password',
    message: `Enter the mailbox's password again: you changed ${changed.join(', ')}. A stored password is only sent to the server it was entered for.`,
  })

/** Refuses a second account on one mailbox, because it would turn one source into two. */
const refuseSecond = (account: Account, fields: MailAccountFields, own?: number): void => {
  const isSame = (each: MailAccount) => WHICH_MAILBOX.every((name) => each[name] === fields[name])
  for (const each of account.mail_accounts.values())
    if (each.mail_account_id !== own && isSame(each)) throw conflict('Another mail account reads this mailbox.')
}

const normal = <Fields extends { email?: string | undefined; host?: string | undefined }>(fields: Fields): Fields => ({
  ...fields,
  ...(fields.email === undefined ? {} : { email: normalEmail(fields.email) }),
  ...(fields.host === undefined ? {} : { host: fields.host.toLowerCase() }),
})

export interface AddMailAccount {
  mail_account_id: number
  fields: MailAccountFields
  sealed_password: string
  at: Date
}

/** @throws {Refused} MAIL_ACCOUNT_LIMIT_REACHED with the plan and its limit, CONFLICT for a mailbox that already exists */
export const addMailAccount = (
  account: Account,
  { mail_account_id, fields, sealed_password, at }: AddMailAccount,
): AccountEvent[] => {
  refuseOverPlan(account, 'mail_accounts', account.mail_accounts.size, at)
  const given = normal(fields)
  refuseSecond(account, given)
  const { user_id } = account
  const created_at = at.toISOString()
  return [{ type: 'MailAccountAdded', data: { ...given, user_id, mail_account_id, sealed_password, created_at } }]
}

/** @throws {Refused} NOT_FOUND */
export const mailAccountOf = (account: Account, mailAccountId: number): MailAccount => {
  const mailAccount = account.mail_accounts.get(mailAccountId)
  if (!mailAccount) throw notFound('mail account')
  return mailAccount
}

export interface ChangeMailAccount {
  mail_account_id: number
  change: Change<MailAccountFields>
  sealed_password: string | undefined
  at: Date
}

/**
 * Also ends a pause if `is_active` is given as 1, even if nothing else changes.
 *
 * @returns nothing if nothing changes
 * @throws {Refused} NOT_FOUND, CONFLICT, VALIDATION_FAILED with path `password` if the server or the user name changes
 *   without a password
 */
export const changeMailAccount = (
  account: Account,
  { mail_account_id, change, sealed_password, at }: ChangeMailAccount,
): AccountEvent[] => {
  const mailAccount = mailAccountOf(account, mail_account_id)
  const fields = differing<MailAccountFields>(mailAccount, normal(change))
  const isResumed = mailAccount.paused !== null && change.is_active === 1
  if (fields === null && sealed_password === undefined && !isResumed) return []
  const moved = BELONGS_TO.filter((name) => fields?.[name] !== undefined)
  if (moved.length > 0 && sealed_password === undefined) throw needsPassword(moved)
  refuseSecond(account, { ...mailAccount, ...fields }, mail_account_id)
  const isOther = WHICH_MAILBOX.some((name) => fields?.[name] !== undefined)
  return [
    {
      type: 'MailAccountChanged',
      data: {
        ...fields,
        ...(sealed_password === undefined ? {} : { sealed_password }),
        ...(isOther ? { since: at.toISOString() } : {}),
        user_id: account.user_id,
        mail_account_id,
      },
    },
  ]
}

export interface PauseMailAccount extends Pick<
  MailAccount,
  'mail_account_id' | 'sealed_password' | (typeof BELONGS_TO)[number]
> {
  /** The reason in a plain sentence. */
  reason: string
}

/**
 * Pauses an account whose server broke the limits too often (`workflows/mail-ingest/violations.ts`).
 * @returns nothing if it is deleted, inactive, already paused, or was changed to another server in the meantime
 */
export const pauseMailAccount = (account: Account, seen: PauseMailAccount): AccountEvent[] => {
  const { user_id } = account
  const { mail_account_id, reason } = seen
  const mailAccount = account.mail_accounts.get(mail_account_id)
  const names = [...BELONGS_TO, 'sealed_password'] as const
  if (!mailAccount || names.some((name) => mailAccount[name] !== seen[name])) return []
  if (mailAccount.is_active === 0 || mailAccount.paused !== null) return []
  return [{ type: 'MailAccountPaused', data: { user_id, mail_account_id, reason } }]
}

/** @throws {Refused} NOT_FOUND */
export const removeMailAccount = (account: Account, mailAccountId: number): AccountEvent[] => {
  const { mail_account_id } = mailAccountOf(account, mailAccountId)
  return [{ type: 'MailAccountRemoved', data: { user_id: account.user_id, mail_account_id } }]
}
