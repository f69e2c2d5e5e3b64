/**
 * Links sent by mail. A link proves that its user reads the mails of the account's address. It works once and for a limited time. A
 * newer verify link ends the older one. Up to three reset links are valid at a time, so that a stranger who requests one cannot end
 * the owner's. The use of one ends them all (decisions, "Mail tokens"). The events store a token's hash. The token is computed from
 * its nonce and the installation's secret (`workflows/accounts/mail-links.ts`).
 */
import { HOUR_MS } from '../time.ts'
import { newlySetPassword } from './access.ts'
import type { MailPurpose, MailTokenIssued } from './access-events.ts'
import { endEverything } from './end-everything.ts'
import type { AccountEvent } from './events.ts'
import { type Language } from './language.ts'
import { setLanguage } from './set-language.ts'
import { invalid } from './refusals.ts'
import type { Account, MailTokens } from './state.ts'
import { isToken } from './tokens.ts'

export type { MailPurpose } from './access-events.ts'

export const NO_MAIL_TOKENS: MailTokens = {
  good: { verify_email: [], reset_password: [] },
  issued: { verify_email: [], reset_password: [] },
  repeated_at: null,
}

const LIFETIME_MS: Record<MailPurpose, number> = { verify_email: 24 * HOUR_MS, reset_password: HOUR_MS }
/** The most links of each purpose that are valid at a time. */
const MOST_GOOD: Record<MailPurpose, number> = { verify_email: 1, reset_password: 3 }
/** The most links of a purpose per hour, so that a stranger who knows an address cannot flood its mailbox. */
const MOST_AN_HOUR = 10

export const issued = (tokens: MailTokens, event: MailTokenIssued): MailTokens => {
  const { purpose, token_hash, expires_at, issued_at } = event
  const stillGood = tokens.good[purpose].filter((link) => link.expires_at > issued_at)
  return {
    ...tokens,
    good: { ...tokens.good, [purpose]: [...stillGood, { token_hash, expires_at }].slice(-MOST_GOOD[purpose]) },
    issued: { ...tokens.issued, [purpose]: [...tokens.issued[purpose], issued_at].slice(-MOST_AN_HOUR) },
  }
}

export const withoutGood = (tokens: MailTokens, purpose: MailPurpose): MailTokens => ({
  ...tokens,
  good: { ...tokens.good, [purpose]: [] },
})

/** Whether this link is one of the valid ones, according to the events. */
export const isGoodLink = ({ good }: MailTokens, purpose: MailPurpose, token_hash: string): boolean =>
  good[purpose].some((link) => link.token_hash === token_hash)

export interface NewMailToken {
  token_hash: string
  nonce: string
}

export const issue = (
  user_id: number,
  purpose: MailPurpose,
  { token_hash, nonce }: NewMailToken,
  at: Date,
): Extract<AccountEvent, { type: 'MailTokenIssued' }> => ({
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

const isFlooded = ({ mail_tokens: { issued } }: Account, purpose: MailPurpose, at: Date): boolean =>
  issued[purpose].length === MOST_AN_HOUR && Date.parse(issued[purpose][0]!) > at.getTime() - HOUR_MS

/** Issues a new link, if one of this purpose is of use. */
export const askForLink = (account: Account, purpose: MailPurpose, made: NewMailToken, at: Date): AccountEvent[] =>
  (purpose === 'verify_email' && account.verified) || isFlooded(account, purpose, at)
    ? []
    : [issue(account.user_id, purpose, made, at)]

export interface RegisteredAgain {
  name: string | null
  password_hash: string
  ref?: string | undefined
  language?: Language | undefined
}

/**
 * The email was registered again. If nobody has confirmed it, the first registration may be a stranger's: its password, name and
 * verify link end, and the newest registration counts. That holds even if no further mail may be sent this hour, since a link of
 * the earlier registration must not confirm an account whose password a stranger knows. Reset links stay valid, because the
 * mailbox's owner chooses the password with them.
 */
export const registerAgain = (
  account: Account,
  { name, password_hash, ref, language }: RegisteredAgain,
  made: NewMailToken,
  at: Date,
): AccountEvent[] => {
  const { user_id, token_version } = account
  if (account.verified) {
    const { repeated_at } = account.mail_tokens
    return repeated_at !== null && Date.parse(repeated_at) > at.getTime() - HOUR_MS
      ? []
      : [{ type: 'RegistrationRepeated', data: { user_id, at: at.toISOString() } }]
  }
  const replaced: AccountEvent = {
    type: 'RegistrationReplaced',
    data: {
      user_id,
      name,
      password_hash,
      token_version: token_version + 1,
      ...(ref !== undefined && { ref }),
      at: at.toISOString(),
    },
  }
  const all = [replaced, ...setLanguage(account, language)]
  if (isFlooded(account, 'verify_email', at)) return all
  const link = issue(user_id, 'verify_email', made, at)
  return [...all, { ...link, data: { ...link.data, registered_again: true } }]
}

/** @throws {Refused} VALIDATION_FAILED with path `token` if it is not a valid token of its purpose */
export const checkMailToken = ({ mail_tokens }: Account, purpose: MailPurpose, token: string, at: Date): void => {
  const isGood = mail_tokens.good[purpose].some(
    ({ expires_at, token_hash }) => Date.parse(expires_at) > at.getTime() && isToken(token, token_hash),
  )
  if (!isGood) throw badMailToken()
}

/** The same error for used, expired and unknown tokens. */
export const badMailToken = () =>
  invalid({ path: 'token', message: 'The link is invalid or has expired. Request a new one.' })

/** @throws {Refused} VALIDATION_FAILED */
export const verifyEmail = (account: Account, token: string, at: Date): AccountEvent[] => {
  checkMailToken(account, 'verify_email', token, at)
  return [{ type: 'EmailVerified', data: { user_id: account.user_id } }]
}

/**
 * The user of the link reads the address's mails, so the address counts as verified too. Every session and JWT ends.
 * @param end_everything  also ends all other access, and all ways to report a payment
 * @throws {Refused} VALIDATION_FAILED
 */
export const resetPassword = (
  account: Account,
  {
    token,
    password_hash,
    end_everything = false,
    at,
  }: { token: string; password_hash: string; end_everything?: boolean | undefined; at: Date },
): AccountEvent[] => {
  checkMailToken(account, 'reset_password', token, at)
  const { user_id, verified } = account
  return [
    newlySetPassword(account, password_hash),
    ...(verified ? [] : [{ type: 'EmailVerified', data: { user_id } } satisfies AccountEvent]),
    ...(end_everything ? endEverything(account) : []),
  ]
}
