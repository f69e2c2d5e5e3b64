// Tests: tests/integration/http/credentials.test.ts
/** Commands on what gives access to an account: its key, its personal URL, devices and the lock. Also the login. */
import {
  accountLocked,
  checkPassword,
  newlySetPassword,
  rotatedKey,
  missingReceiveUrl,
  rotatedReceiveUrl,
} from '../../domain/account/access.ts'
import { endEverything, endLogins, whatEnds, type Ended } from '../../domain/account/end-everything.ts'
import type { Account } from '../../domain/account/account.ts'
import { Refused } from '../../domain/errors.ts'
import type { Checkpoint, Clock, EventStore, Passwords, Vault } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { nobody } from './nobody.ts'
import { accountOfEmail } from './registration.ts'
import { newPassword, newReceiveToken, newToken } from './secrets.ts'
import { ownCause } from '../support/stamp.ts'

export interface LoggedIn {
  account: Account
  /** The other accesses that were ended; null if that was not requested. */
  ended: Ended | null
  checkpoint: Checkpoint | null
}

export interface LoggingIn {
  email: string
  password: string
  /** Also ends every session and JWT, and keys, the personal URL, devices and the counter's link. */
  end_everything?: boolean | undefined
}

/** Logins from one address wait for each other. */
export interface Caller {
  address: string
  /** The account has logged in from there before, so this login goes first. */
  isKnown: Promise<boolean>
}

/**
 * Errors about the account are returned only after the correct password. An unknown email takes as long as a wrong password.
 * @throws {Refused} UNAUTHORIZED, EMAIL_NOT_VERIFIED, ACCOUNT_LOCKED · {StoreUnavailable}
 */
export const logIn = async (
  { accounts, store, passwords, clock }: { accounts: Accounts; store: EventStore; passwords: Passwords; clock: Clock },
  { email, password, end_everything = false }: LoggingIn,
  { address, isKnown }: Caller,
): Promise<LoggedIn> => {
  const userId = await accountOfEmail(store, email)
  // Without an account, `nobody` is looked up, so that the answer takes as long.
  const account = await accounts.find(userId ?? nobody())
  const right = await passwords.verify(password, account?.password_hash ?? null, address, await isKnown)
  if (!account || !right) throw wrongPair()
  if (!account.verified) throw new Refused('EMAIL_NOT_VERIFIED', 'Verify the email address first.')
  if (account.locked) throw accountLocked(account)
  if (!end_everything) return { account, ended: null, checkpoint: null }
  const occasion = { user_id: account.user_id, at: clock.now(), ...ownCause() }
  let ended: Ended | null = null
  const changed = await accounts.change(occasion, (present) => {
    // The password was changed in the meantime.
    if (present.password_hash !== account.password_hash) throw wrongPair()
    ended = whatEnds(present)
    return [...endLogins(present), ...endEverything(present)]
  })
  return { ...changed, ended }
}

const wrongPair = (): Refused => new Refused('UNAUTHORIZED', 'The email or password is wrong.')

export interface Rotated {
  /** The new secret. It is shown once. */
  token: string
  checkpoint: Checkpoint | null
}

/** Shows a new secret before it counts. If it rejects, nothing changes. */
export type Show = (secret: string) => Promise<void>

/** The old key becomes void at once. @throws {StoreUnavailable} */
export const rotateKey = async (
  { accounts }: { accounts: Accounts },
  occasion: OwnersOccasion,
  show?: Show,
): Promise<Rotated> => {
  const { token, hash } = newToken('api_key', occasion.user_id)
  await show?.(token)
  const { checkpoint } = await accounts.change(occasion, ({ user_id }) => [rotatedKey(user_id, hash)])
  return { token, checkpoint }
}

/**
 * Every session and JWT ends.
 * @param given  undefined: a password is generated and shown
 * @throws {Refused} VALIDATION_FAILED · {StoreUnavailable}
 */
export const setPassword = async (
  { accounts, passwords }: { accounts: Accounts; passwords: Passwords },
  occasion: OwnersOccasion,
  given: string | undefined,
  show?: Show,
): Promise<void> => {
  if (given !== undefined) checkPassword(given)
  const password = given ?? newPassword()
  const hash = await passwords.hash(password)
  if (given === undefined) await show?.(password)
  await accounts.change(occasion, (account) => [newlySetPassword(account, hash)])
}

/** The old address becomes void at once. @throws {StoreUnavailable} */
export const rotateReceiveUrl = async (
  { accounts, vault }: { accounts: Accounts; vault: Vault },
  occasion: OwnersOccasion,
): Promise<Rotated> => {
  const { token, kept } = newReceiveToken(occasion.user_id, vault)
  const { checkpoint } = await accounts.change(occasion, ({ user_id }) => [rotatedReceiveUrl(user_id, kept)])
  return { token, checkpoint }
}

/**
 * Gives an account of an earlier version its personal URL. Its owner reads it first, so it is made when it is read. @returns the account with it
 * @throws {StoreUnavailable}
 */
export const giveReceiveUrl = (
  { accounts, vault }: { accounts: Accounts; vault: Vault },
  occasion: OwnersOccasion,
): ReturnType<Accounts['change']> => {
  const { kept } = newReceiveToken(occasion.user_id, vault)
  return accounts.change(occasion, (account) => missingReceiveUrl(account, kept))
}
