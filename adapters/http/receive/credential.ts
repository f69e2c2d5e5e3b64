// Tests: tests/integration/http/credentials.test.ts
/** Credentials of `/api/receive/*`: a phone's token, a scoped key with `receive`, or the token in the personal URL. */
import { allows, scopedKeyOf, scopeMissing } from '../../../domain/account/api-keys.ts'
import { isHash } from '../../../domain/account/tokens.ts'
import { shownToken, type ShownToken } from '../../../domain/arrival/arrival.ts'
import type { Account } from '../../../domain/account/account.ts'
import type { Refused } from '../../../domain/errors.ts'
import type { Clock } from '../../../domain/ports.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'
import type { ApiKeyUses } from '../../postgres/ops/api-key-uses.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../middleware/errors.ts'

/** Accepts a key in place of a phone's token, as phone apps have no other field for it. */
const tokenOrKey = (token: string): ShownToken | null => shownToken('device', token) ?? shownToken('api_key', token)

const posterIn = ({ headers }: ApiContext): ShownToken | null => {
  const { 'x-device-token': device, 'x-api-key': header, authorization } = headers
  // `X-Device-Token` comes first, because some apps always send an Authorization header of their own.
  if (typeof device === 'string') return tokenOrKey(device)
  const key = typeof header === 'string' ? shownToken('api_key', header) : null
  if (key) return key
  const [, scheme, token] = /^(bearer|apikey) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (scheme === undefined || token === undefined) return null
  return scheme.toLowerCase() === 'bearer' ? tokenOrKey(token) : shownToken('api_key', token)
}

/** The credential that a phone or a script sends; null if nothing has the form of a token. Found and hashed once per call. */
export const shownByPoster = (context: ApiContext): ShownToken | null => {
  const { state } = context
  if (state.shown === undefined) state.shown = posterIn(context)
  return state.shown
}

/** The token in the path; null if it does not have the form of one. */
export const shownInPath = ({ state, params }: ApiContext): ShownToken | null => {
  if (state.shown === undefined) state.shown = shownToken('receive_url', params.token ?? '')
  return state.shown
}

/** @param kind  of the token that the path needs. The answer is the same for each token that opens nothing. */
export const refusedToken = (kind: ShownToken['kind']): Refused =>
  unauthorized(
    kind === 'receive_url'
      ? 'The personal URL is wrong or was replaced. `GET /api/receive-url` shows the current one.'
      : 'Send the token of a paired phone as X-Device-Token, or an API key with the scope `receive` as X-Api-Key.',
  )

interface Parts {
  accounts: Pick<Accounts, 'find' | 'seen'>
  clock: Clock
  keyUses: Pick<ApiKeyUses, 'note'>
}

/** @returns whether the credential opens the account; for a scoped key, the key's id @throws {Refused} SCOPE_MISSING */
const opens = ({ kind, token_hash: hash }: ShownToken, account: Account | null, at: Date): boolean | number => {
  if (!account) return false
  if (kind === 'receive_url') return account.receive_url !== null && isHash(hash, account.receive_url.token_hash)
  if (kind === 'device') {
    for (const { token_hash } of account.devices.values()) if (isHash(hash, token_hash)) return true
    return false
  }
  const key = scopedKeyOf(account, hash, at)
  if (key && !allows(key, ['receive'])) throw scopeMissing(['receive'])
  return key?.api_key_id ?? false
}

/** Whether the credential opens its account in the account's current state. @throws {Refused} SCOPE_MISSING · {StoreUnavailable} */
export const isGood = async ({ accounts, clock }: Omit<Parts, 'keyUses'>, shown: ShownToken): Promise<boolean> =>
  opens(shown, await accounts.find(shown.user_id), clock.now()) !== false

/**
 * Checks the credential before the body is read (decisions, "Sizes"). If this process has read the account before, that state is used
 * first, so a good token costs no read. Capture checks the token again against the account's state when it stores.
 * @returns the id of the credential's user @throws {Refused} UNAUTHORIZED, SCOPE_MISSING · {StoreUnavailable}
 */
export const checkShown = async ({ accounts, clock, keyUses }: Parts, shown: ShownToken): Promise<number> => {
  const userId = shown.user_id
  const now = clock.now()
  // A credential that the cached account does not have may be new, so the current account is read.
  const opened = opens(shown, accounts.seen(userId), now) || opens(shown, await accounts.find(userId), now)
  if (opened === false) throw refusedToken(shown.kind)
  if (typeof opened === 'number') keyUses.note(userId, opened, now)
  return userId
}
