/** What a caller of `/api/receive/*` shows: a phone's token, a scoped key with `receive`, or the token in the personal URL. */
import { allows, scopedKeyOf, scopeMissing } from '../../../domain/account/api-keys.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
import type { Account } from '../../../domain/account/account.ts'
import type { Clock } from '../../../domain/ports.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'
import type { ApiKeyUses } from '../../postgres/api-key-uses.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../errors.ts'

export interface Shown {
  kind: 'device' | 'receive_url' | 'api_key'
  token: string
}

const keyOf = (token: string): Shown | null =>
  userOfToken('api_key', token) === null ? null : { kind: 'api_key', token }

/** A key may stand where a phone's token does: apps for phones have no other field. */
const tokenOrKeyOf = (token: string): Shown | null =>
  userOfToken('device', token) === null ? keyOf(token) : { kind: 'device', token }

/** What a phone or a script shows; null for what is not even of the form of a token. */
export const shownByPoster = ({ headers }: ApiContext): Shown | null => {
  const { 'x-device-token': device, 'x-api-key': key, authorization } = headers
  // Its own header first: some apps always send an Authorization of theirs.
  if (typeof device === 'string') return tokenOrKeyOf(device)
  if (typeof key === 'string' && keyOf(key)) return keyOf(key)
  const [, scheme, token] = /^(bearer|apikey) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (scheme === undefined || token === undefined) return null
  return scheme.toLowerCase() === 'bearer' ? tokenOrKeyOf(token) : keyOf(token)
}

/** The token in the path; null for what is not of its form. */
export const shownInPath = ({ params }: ApiContext): Shown | null => {
  const { token = '' } = params
  return userOfToken('receive_url', token) === null ? null : { kind: 'receive_url', token }
}

interface Parts {
  accounts: Pick<Accounts, 'find' | 'seen'>
  clock: Clock
  keyUses: Pick<ApiKeyUses, 'note'>
}

/** @returns whether it opens the account; for a scoped key its id @throws {Refused} SCOPE_MISSING */
const opens = ({ kind, token }: Shown, account: Account | null, at: Date): boolean | number => {
  if (!account) return false
  if (kind === 'receive_url') return account.receive_url !== null && isToken(token, account.receive_url.token_hash)
  if (kind === 'device') {
    for (const { token_hash } of account.devices.values()) if (isToken(token, token_hash)) return true
    return false
  }
  const key = scopedKeyOf(account, token, at)
  if (key && !allows(key, ['receive'])) throw scopeMissing(['receive'])
  return key?.api_key_id ?? false
}

/** Whether it opens something, on the account as it is now. @throws {Refused} SCOPE_MISSING · {StoreUnavailable} */
export const isGood = async ({ accounts, clock }: Omit<Parts, 'keyUses'>, shown: Shown): Promise<boolean> =>
  opens(shown, await accounts.find(userOfToken(shown.kind, shown.token)!), clock.now()) !== false

/**
 * Whether it opens an account, before the body behind it is read (decisions, "Sizes"). An account that this process has read before is judged
 * as it was then, so a good token costs no read. Capture judges the token again, on the account as it is when it stores.
 * @returns the user that it belongs to @throws {Refused} UNAUTHORIZED, SCOPE_MISSING · {StoreUnavailable}
 */
export const checkShown = async ({ accounts, clock, keyUses }: Parts, shown: Shown): Promise<number> => {
  const userId = userOfToken(shown.kind, shown.token)!
  const now = clock.now()
  // One that is not known here may be new: only the store knows.
  const opened = opens(shown, accounts.seen(userId), now) || opens(shown, await accounts.find(userId), now)
  if (opened === false) throw unauthorized()
  if (typeof opened === 'number') keyUses.note(userId, opened, now)
  return userId
}
