// Tests: tests/integration/http/accounts.test.ts
/**
 * Registration, and requests that give only an email address. They do not reveal whether an address has an account:
 * the answer and the steps through the store are the same. If there is nothing to write, an append is sent that writes
 * nothing. So an answer takes equally long in both cases, and fails in both cases while the store is away.
 */
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
import { AccountGone } from '../../domain/errors.ts'
import { NO_STREAM, type Checkpoint } from '../../domain/ports.ts'
import { stamp, ownCause } from '../support/stamp.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import type { MailLinks } from './mail-links.ts'
import { nobody } from './nobody.ts'
import { accountOfEmail, registerNew, type Registering, type RegistrationParts } from './registration.ts'

export interface ByMailParts extends RegistrationParts {
  accounts: Accounts
  links: MailLinks
}

const occasionOf = (user_id: number, at: Date): OwnersOccasion => ({ user_id, at, ...ownCause() })

/**
 * Takes as long as an append, but writes nothing. On a store that can compare a stream without writing, it compares one that does not
 * exist: the Postgres store sends appends in groups, and a refused one would slow down all others of its group. On others, the append is
 * refused, because the stream has no first event.
 */
const writeNothing = async ({ store, clock }: ByMailParts): Promise<void> => {
  const userId = nobody()
  const refused = () => stamp([{ type: 'RegistrationRepeated', data: {} }], occasionOf(userId, clock.now()))
  const nothing = store.comparesUnwritten
    ? { expectedRevision: NO_STREAM, events: [] }
    : { expectedRevision: 0, events: refused() }
  await store.append([[{ stream: accountStream(userId), ...nothing }]])
}

/**
 * Decides on the account of an email address: reads the stream of the address and the account, and sends one append.
 * @returns false if there is no account: then only the stream of the address was read
 */
const changeAccountOf = async (
  parts: ByMailParts,
  email: string,
  decide: (account: Account, at: Date) => readonly AccountEvent[],
): Promise<boolean> => {
  const userId = await accountOfEmail(parts.store, email)
  if (userId === null) return false
  const at = parts.clock.now()
  try {
    const { checkpoint } = await parts.accounts.change(occasionOf(userId, at), (account) => decide(account, at))
    if (checkpoint === null) await writeNothing(parts)
    return true
  } catch (error) {
    // Its registration was interrupted.
    if (error instanceof AccountGone) return false
    throw error
  }
}

/** @throws {Refused} VALIDATION_FAILED · {StoreUnavailable} */
export const registerByMail = async (parts: ByMailParts, given: Registering, caller?: string): Promise<void> => {
  checkEmail(given.email)
  checkPassword(given.password)
  // The hash is computed even if it is not needed, because it takes most of the time.
  const password_hash = await parts.passwords.hash(given.password, caller)
  const newLink = (userId: number) => parts.links.make('verify_email', userId)
  const again = () =>
    changeAccountOf(parts, given.email, (account, at) =>
      registerAgain(account, { ...given, password_hash }, newLink(account.user_id), at),
    )
  if (await again()) return
  const isNew = await registerNew({ ...parts, newLink }, { ...given, password_hash })
  // Another request registered the address in between.
  if (!isNew) await again()
}

/** Sends a link to the address if it has an account that can use the link. @throws {StoreUnavailable} */
export const askForLinkByMail = async (parts: ByMailParts, purpose: MailPurpose, email: string): Promise<void> => {
  const isKnown = await changeAccountOf(parts, email, (account, at) =>
    askForLink(account, purpose, parts.links.make(purpose, account.user_id), at),
  )
  if (isKnown) return
  await parts.accounts.find(nobody())
  await writeNothing(parts)
}

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
