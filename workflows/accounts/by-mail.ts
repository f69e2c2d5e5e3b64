/**
 * Registering, and what is asked for by an e-mail address alone. Nobody learns by it whether an address has an account: the
 * answer is the same, and so is the way through the store. Where there is nothing to write, an append is sent that the store
 * refuses, so that an answer takes as long, and fails when it is away, just as where there is.
 */
import { randomUUID } from 'node:crypto'
import { checkEmail, checkPassword } from '../../domain/account/access.ts'
import type { Account } from '../../domain/account/account.ts'
import { whatEnds, type Ended } from '../../domain/account/end-everything.ts'
import { accountStream, type AccountEvent } from '../../domain/account/events.ts'
import {
  askForLink,
  badMailToken,
  checkMailToken,
  registerAgain,
  resetPassword as decideReset,
  verifyEmail as decideVerify,
  type MailPurpose,
} from '../../domain/account/mail-tokens.ts'
import { userOfToken } from '../../domain/account/tokens.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import { stamp } from '../support/stamp.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import type { MailLinks } from './mail-links.ts'
import { accountOfEmail, registerNew, type RegistrationParts } from './registration.ts'

export interface ByMailParts extends RegistrationParts {
  accounts: Accounts
  links: MailLinks
}

/** Ids begin at 1. */
const NOBODY = 0

const occasionOf = (user_id: number, at: Date): OwnersOccasion => {
  const request = randomUUID()
  return { user_id, at, correlation_id: request, causation_id: request }
}

/** As long as an append takes, and nothing is written: nobody's stream has no first event to stand behind. */
const writeNothing = async ({ store, clock }: ByMailParts): Promise<void> => {
  const events = stamp([{ type: 'RegistrationRepeated', data: {} }], occasionOf(NOBODY, clock.now()))
  await store.append([[{ stream: accountStream(NOBODY), expectedRevision: 0, events }]])
}

/** Decides on the account of an e-mail, where it has one. */
const onAccountOf = async (
  parts: ByMailParts,
  email: string,
  decide: (account: Account, at: Date) => readonly AccountEvent[],
): Promise<void> => {
  const at = parts.clock.now()
  const userId = await accountOfEmail(parts.store, email)
  const account = await parts.accounts.find(userId ?? NOBODY)
  if (account && decide(account, at).length > 0)
    await parts.accounts.change(occasionOf(account.user_id, at), (account) => decide(account, at))
  else await writeNothing(parts)
}

export interface Registering {
  email: string
  password: string
  name: string | null
  /** Code of the affiliate link that led here. */
  ref?: string | undefined
}

/** @throws {Refused} VALIDATION_FAILED · {StoreUnavailable} */
export const registerByMail = async (parts: ByMailParts, given: Registering, caller?: string): Promise<void> => {
  checkEmail(given.email)
  checkPassword(given.password)
  // Computed also where it is of no use: it is what takes the time.
  const password_hash = await parts.passwords.hash(given.password, caller)
  const newLink = (userId: number) => parts.links.make('verify_email', userId)
  const isNew = await registerNew({ ...parts, newLink }, { ...given, password_hash })
  if (!isNew)
    await onAccountOf(parts, given.email, (account, at) =>
      registerAgain(account, { ...given, password_hash }, newLink(account.user_id), at),
    )
}

/** A link goes to the address, where it has an account that the link is of use to. @throws {StoreUnavailable} */
export const askForLinkByMail = (parts: ByMailParts, purpose: MailPurpose, email: string): Promise<void> =>
  onAccountOf(parts, email, (account, at) =>
    askForLink(account, purpose, parts.links.make(purpose, account.user_id), at),
  )

const accountOfToken = async ({ accounts }: ByMailParts, purpose: MailPurpose, token: string): Promise<Account> => {
  const userId = userOfToken(purpose, token)
  const account = userId === null ? null : await accounts.find(userId)
  if (!account) throw badMailToken()
  return account
}

/** @throws {Refused} VALIDATION_FAILED where the token is not good · {StoreUnavailable} */
export const verifyEmail = async (parts: ByMailParts, token: string): Promise<{ checkpoint: Checkpoint | null }> => {
  const { user_id } = await accountOfToken(parts, 'verify_email', token)
  const at = parts.clock.now()
  return parts.accounts.change(occasionOf(user_id, at), (account) => decideVerify(account, token, at))
}

export interface Resetting {
  token: string
  password: string
  /** Also ends keys, the personal URL, devices and the counter's link. */
  end_everything?: boolean | undefined
}

/**
 * Ends every session and JWT; the API key stays unless everything is to end.
 * @returns what ended besides; null where that was not asked for
 * @throws {Refused} VALIDATION_FAILED · {StoreUnavailable}
 */
export const resetPassword = async (
  parts: ByMailParts,
  { token, password, end_everything }: Resetting,
  caller?: string,
): Promise<{ checkpoint: Checkpoint | null; account: Account; ended: Ended | null }> => {
  checkPassword(password)
  const account = await accountOfToken(parts, 'reset_password', token)
  const at = parts.clock.now()
  // Before the hash is computed, so that guessed tokens cost nothing.
  checkMailToken(account, 'reset_password', token, at)
  const password_hash = await parts.passwords.hash(password, caller)
  let ended: Ended | null = null
  const changed = await parts.accounts.change(occasionOf(account.user_id, at), (account) => {
    ended = end_everything ? whatEnds(account) : null
    return decideReset(account, { token, password_hash, end_everything, at })
  })
  return { ...changed, ended }
}
