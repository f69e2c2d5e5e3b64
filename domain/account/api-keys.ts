/**
 * Scoped keys: API keys with fewer permissions than the account's own (decisions, "Scoped keys"). Each has a name, scopes and an
 * optional expiry time. The events store only the hash of a key. The key itself is shown once.
 */
import type { Scope, ScopedKey } from './access-events.ts'
import type { AccountEvent } from './events.ts'
import { Refused } from '../errors.ts'
import { invalid, notFound } from './refusals.ts'
import type { Account } from './state.ts'
import { isHash } from './tokens.ts'

export { scope, type Scope, type ScopedKey } from './access-events.ts'

/** The limit per account. Expired keys count until they are deleted. */
export const MOST_KEYS = 20

/** @throws {Refused} API_KEY_LIMIT_REACHED, or VALIDATION_FAILED for an expiry time in the past */
export const addKey = (account: Account, key: ScopedKey): AccountEvent[] => {
  if (key.expires_at !== null && key.expires_at <= key.created_at)
    throw invalid({ path: 'expires_at', message: 'The time must be in the future.' })
  if (account.api_keys.size >= MOST_KEYS)
    throw new Refused('API_KEY_LIMIT_REACHED', `An account can have at most ${MOST_KEYS} keys. Delete one first.`, {
      limit: MOST_KEYS,
    })
  return [{ type: 'ScopedKeyAdded', data: { user_id: account.user_id, ...key } }]
}

/** @throws {Refused} NOT_FOUND */
export const removeKey = ({ user_id, api_keys }: Account, api_key_id: number): AccountEvent[] => {
  if (!api_keys.has(api_key_id)) throw notFound('key')
  return [{ type: 'ScopedKeyRemoved', data: { user_id, api_key_id } }]
}

/**
 * @param hash  SHA-256 of the key
 * @returns null if the key does not belong to this account, or has expired
 */
export const scopedKeyOf = ({ api_keys }: Account, hash: string, at: Date): ScopedKey | null => {
  for (const key of api_keys.values())
    if (isHash(hash, key.key_hash))
      return key.expires_at === null || Date.parse(key.expires_at) > at.getTime() ? key : null
  return null
}

/** Whether a key has at least one of the scopes. `write` includes `read`. */
export const allows = ({ scopes }: Pick<ScopedKey, 'scopes'>, anyOf: readonly Scope[]): boolean =>
  anyOf.some((needed) => scopes.includes(needed) || (needed === 'read' && scopes.includes('write')))

/** @param anyOf  scopes that permit the operation. If empty, no scoped key may do it. */
export const scopeMissing = (anyOf: readonly Scope[]): Refused =>
  new Refused(
    'SCOPE_MISSING',
    anyOf.length === 0
      ? "Scoped keys may not do this. Use the account's own API key or log in."
      : `This key lacks a scope. It needs ${anyOf.map((each) => `\`${each}\``).join(' or ')}.`,
  )
