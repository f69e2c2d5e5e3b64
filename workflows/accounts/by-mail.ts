// Tests: tests/integration/http/accounts.test.ts
/**
 * Registration, and requests that give only an e-mail address. They do not reveal whether an address has an account:
 * the answer and the steps through the store are the same. If there is nothing to write, an append is sent that the
 * store refuses. So an answer takes equally long in both cases, and fails in both cases while the store is away.
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
import { accountOfEmail, registerNew, type Registering, type RegistrationParts } from './registration.ts'

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

/** Takes as long as an append, but writes nothing: the stream of `NOBODY` has no first event, so the append is refused. */
const writeNothing = async ({ store, clock }: ByMailParts): Promise<void> => {
  const events = stamp([{ type: 'RegistrationRepeated', data: {} }], occasionOf(NOBODY, clock.now()))
  await store.append([[{ stream: accountStream(NOBODY), expectedRevision: 0, events }]])
}

/** Decides on the account of an e-mail address, if there is one. */
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

/** @throws {Refused} VALIDATION_FAILED · {StoreUnavailable} */
export const registerByMail = async (parts: ByMailParts, given: Registering, caller?: string): Promise<void> => {
  checkEmail(given.email)
  checkPassword(given.password)
  // The hash is computed even if it is not needed, because it takes most of the time.
  const password_hash = await parts.passwords.hash(given.password, caller)
  const newLink = (userId: number) => parts.links.make('verify_email', userId)
  const isNew = await registerNew({ ...parts, newLink }, { ...given, password_hash })
  if (!isNew)
    await onAccountOf(parts, given.email, (account, at) =>
      registerAgain(account, { ...given, password_hash }, newLink(account.user_id), at),
    )
}

/** Sends a link to the address if it has an account that can use the link. @throws {StoreUnavailable} */
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

/** @throws {Refused} VALIDATION_FAILED if the token is not valid · {StoreUnavailable} */
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
 * Ends every session and JWT. The API key stays, unless `end_everything` is set.
 * @returns what else was ended; null if that was not requested
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
  // Checked before the hash is computed, so that guessed tokens cost nothing.
  checkMailToken(account, 'reset_password', token, at)
  const password_hash = await parts.passwords.hash(password, caller)
  let ended: Ended | null = null
  const changed = await parts.accounts.change(occasionOf(account.user_id, at), (account) => {
    ended = end_everything ? whatEnds(account) : null
    return decideReset(account, { token, password_hash, end_everything, at })
  })
  return { ...changed, ended }
}
