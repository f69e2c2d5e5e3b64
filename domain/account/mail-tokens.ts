/**
 * Links sent by mail: they prove that who opens one reads the mails of the account's address. One of a purpose is good at a
 * time, once, and for so long; a newer one ends it. The events keep a token's hash; the token itself is made again from its
 * nonce by who knows the installation's secret (`workflows/accounts/mail-links.ts`).
 */
import { z } from 'zod'
import type { Account } from './account.ts'
import type { AccountEvent } from './events.ts'
import { invalid } from './refusals.ts'
import { isToken } from './tokens.ts'

const id = z.int().positive()
const moment = z.iso.datetime()

const mailPurpose = z.enum(['verify_email', 'reset_password'])
export type MailPurpose = z.infer<typeof mailPurpose>

export const mailTokenEvents = {
  MailTokenIssued: z.object({
    user_id: id,
    purpose: mailPurpose,
    /** SHA-256, hexadecimal. */
    token_hash: z.string(),
    nonce: z.string(),
    issued_at: moment,
    expires_at: moment,
  }),
  /** Somebody registered an e-mail that has an account: its owner is told, who registered is not. */
  RegistrationRepeated: z.object({ user_id: id, at: moment }),
}

type MailTokenIssued = z.infer<typeof mailTokenEvents.MailTokenIssued>

export interface MailTokens {
  /** The good one of each purpose. */
  readonly good: { readonly [Purpose in MailPurpose]: Pick<MailTokenIssued, 'token_hash' | 'expires_at'> | null }
  /** When the newest were issued, oldest first. */
  readonly issued: readonly string[]
  /** When its owner was last told that somebody registered the e-mail again. */
  readonly repeated_at: string | null
}

export const NO_MAIL_TOKENS: MailTokens = {
  good: { verify_email: null, reset_password: null },
  issued: [],
  repeated_at: null,
}

const HOUR_MS = 3_600_000
const LIFETIME_MS: Record<MailPurpose, number> = { verify_email: 24 * HOUR_MS, reset_password: HOUR_MS }
/** A stranger who knows an address must not fill its mailbox: more links than this in an hour are not sent. */
const MOST_AN_HOUR = 10

export const issued = ({ good, issued, ...rest }: MailTokens, event: MailTokenIssued): MailTokens => ({
  ...rest,
  good: { ...good, [event.purpose]: { token_hash: event.token_hash, expires_at: event.expires_at } },
  issued: [...issued, event.issued_at].slice(-MOST_AN_HOUR),
})

export const withoutGood = (tokens: MailTokens, purpose: MailPurpose): MailTokens => ({
  ...tokens,
  good: { ...tokens.good, [purpose]: null },
})

export interface NewMailToken {
  token_hash: string
  nonce: string
}

export const issue = (
  user_id: number,
  purpose: MailPurpose,
  { token_hash, nonce }: NewMailToken,
  at: Date,
): AccountEvent => ({
  type: 'MailTokenIssued',
  data: {
    user_id,
    purpose,
    token_hash,
    nonce,
    issued_at: at.toISOString(),
    expires_at: new Date(at.getTime() + LIFETIME_MS[purpose]).toISOString(),
  },
})

const isFlooded = ({ mail_tokens: { issued } }: Account, at: Date): boolean =>
  issued.length === MOST_AN_HOUR && Date.parse(issued[0]!) > at.getTime() - HOUR_MS

/** A new link, where one of this purpose is of use. */
export const askForLink = (account: Account, purpose: MailPurpose, made: NewMailToken, at: Date): AccountEvent[] =>
  (purpose === 'verify_email' && account.verified) || isFlooded(account, at)
    ? []
    : [issue(account.user_id, purpose, made, at)]

/**
 * The e-mail was registered again. Where it was never confirmed, whoever registered first may have been a stranger: the
 * mailbox's owner gets a link to set a password of their own.
 */
export const registerAgain = (account: Account, made: NewMailToken, at: Date): AccountEvent[] => {
  if (!account.verified) return askForLink(account, 'reset_password', made, at)
  const { repeated_at } = account.mail_tokens
  return repeated_at !== null && Date.parse(repeated_at) > at.getTime() - HOUR_MS
    ? []
    : [{ type: 'RegistrationRepeated', data: { user_id: account.user_id, at: at.toISOString() } }]
}

/** @throws {Refused} VALIDATION_FAILED with path `token`, where it is not the good one of its purpose */
export const checkMailToken = ({ mail_tokens }: Account, purpose: MailPurpose, token: string, at: Date): void => {
  const good = mail_tokens.good[purpose]
  if (!good || Date.parse(good.expires_at) <= at.getTime() || !isToken(token, good.token_hash)) throw badMailToken()
}

/** Used, expired and unknown are one answer. */
export const badMailToken = () =>
  invalid({ path: 'token', message: 'This link is not valid any more. Ask for a new one.' })

/** @throws {Refused} VALIDATION_FAILED */
export const verifyEmail = (account: Account, token: string, at: Date): AccountEvent[] => {
  checkMailToken(account, 'verify_email', token, at)
  return [{ type: 'EmailVerified', data: { user_id: account.user_id } }]
}

/** Who opens the link reads the address's mails, so that it counts as verified too. @throws {Refused} VALIDATION_FAILED */
export const resetPassword = (
  account: Account,
  { token, password_hash, at }: { token: string; password_hash: string; at: Date },
): AccountEvent[] => {
  checkMailToken(account, 'reset_password', token, at)
  const { user_id, verified, token_version } = account
  return [
    { type: 'PasswordSet', data: { user_id, password_hash, token_version: token_version + 1 } },
    ...(verified ? [] : [{ type: 'EmailVerified', data: { user_id } } satisfies AccountEvent]),
  ]
}
