/** What a caller of `/api/receive/*` shows: a phone's token, a scoped key with `receive`, or the token in the personal URL. */
import { allows, scopedKeyOf, scopeMissing } from '../../../domain/account/api-keys.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
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
  accounts: Accounts
  clock: Clock
  keyUses: Pick<ApiKeyUses, 'note'>
}

/** Whether it opens something, for what capture does not get to see. @throws {Refused} SCOPE_MISSING · {StoreUnavailable} */
export const isGood = async ({ accounts, clock }: Omit<Parts, 'keyUses'>, { kind, token }: Shown): Promise<boolean> => {
  const account = await accounts.find(userOfToken(kind, token)!)
  if (!account) return false
  if (kind === 'receive_url') return account.receive_url !== null && isToken(token, account.receive_url.token_hash)
  if (kind === 'device') return [...account.devices.values()].some(({ token_hash }) => isToken(token, token_hash))
  const key = scopedKeyOf(account, token, clock.now())
  if (key && !allows(key, ['receive'])) throw scopeMissing(['receive'])
  return key !== null
}

/** A key's scopes are judged before anything is read. @throws {Refused} UNAUTHORIZED, SCOPE_MISSING · {StoreUnavailable} */
export const checkKey = async (parts: Parts, { token }: Shown): Promise<void> => {
  const user_id = userOfToken('api_key', token)!
  const account = await parts.accounts.find(user_id)
  const now = parts.clock.now()
  const key = account && scopedKeyOf(account, token, now)
  if (!key) throw unauthorized()
  parts.keyUses.note(user_id, key.api_key_id, now)
  if (!allows(key, ['receive'])) throw scopeMissing(['receive'])
}
