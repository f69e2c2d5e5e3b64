/** Commands on what opens an account: its key, its personal URL, devices, the lock; and the login. */
import { lock, rotatedKey, rotatedReceiveUrl, unlock } from '../../domain/account/access.ts'
import { setPlan } from '../../domain/account/plan-changes.ts'
import type { Account } from '../../domain/account/account.ts'
import type { Plan } from '../../domain/account/events.ts'
import { Refused } from '../../domain/errors.ts'
import type { Checkpoint, EventStore, Passwords, Vault } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { accountOfEmail } from './registration.ts'
import { newReceiveToken, newToken } from './secrets.ts'

/** Ids begin at 1. */
const NOBODY = 0

/**
 * What is wrong with the account is told only after the right password; an unknown e-mail takes as long as a wrong one.
 * @param caller  who asks (an address): logins from one address wait behind each other
 * @throws {Refused} UNAUTHORIZED, EMAIL_NOT_VERIFIED, ACCOUNT_LOCKED · {StoreUnavailable}
 */
export const logIn = async (
  { accounts, store, passwords }: { accounts: Accounts; store: EventStore; passwords: Passwords },
  { email, password }: { email: string; password: string },
  caller?: string,
): Promise<Account> => {
  const userId = await accountOfEmail(store, email)
  // Nobody's account is looked for too: the answer must not come sooner where there is none.
  const account = await accounts.find(userId ?? NOBODY)
  const right = await passwords.verify(password, account?.password_hash ?? null, caller)
  if (!account || !right) throw new Refused('UNAUTHORIZED', 'E-mail or password is wrong.')
  if (!account.verified) throw new Refused('EMAIL_NOT_VERIFIED', 'Confirm the e-mail address first.')
  if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
  return account
}

export interface Rotated {
  /** The new secret: shown once. */
  token: string
  checkpoint: Checkpoint | null
}

/** The old key is void at once. @throws {StoreUnavailable} */
export const rotateKey = async ({ accounts }: { accounts: Accounts }, occasion: OwnersOccasion): Promise<Rotated> => {
  const { token, hash } = newToken('api_key', occasion.user_id)
  const { checkpoint } = await accounts.change(occasion, ({ user_id }) => [rotatedKey(user_id, hash)])
  return { token, checkpoint }
}

/** The old address is void at once. @throws {StoreUnavailable} */
export const rotateReceiveUrl = async (
  { accounts, vault }: { accounts: Accounts; vault: Vault },
  occasion: OwnersOccasion,
): Promise<Rotated> => {
  const { token, kept } = newReceiveToken(occasion.user_id, vault)
  const { checkpoint } = await accounts.change(occasion, ({ user_id }) => [rotatedReceiveUrl(user_id, kept)])
  return { token, checkpoint }
}

/** @returns whether it had another */
export const changePlan = async (accounts: Accounts, occasion: OwnersOccasion, plan: Plan): Promise<boolean> =>
  (await accounts.change(occasion, (account) => setPlan(account, plan))).checkpoint !== null

/** Its calls are refused from now on; what comes from its banks is taken still. @throws {StoreUnavailable} */
export const lockAccount = async (accounts: Accounts, occasion: OwnersOccasion, reason: string): Promise<void> => {
  await accounts.change(occasion, (account) => lock(account, reason))
}

/** @returns whether it was locked */
export const unlockAccount = async (accounts: Accounts, occasion: OwnersOccasion): Promise<boolean> =>
  (await accounts.change(occasion, unlock)).checkpoint !== null
