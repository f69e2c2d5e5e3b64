// Tests: tests/integration/http/credentials.test.ts
/** Creates scoped keys: load → decide → append. */
import * as decide from '../../domain/account/api-keys.ts'
import type { Scope, ScopedKey } from '../../domain/account/api-keys.ts'
import type { Checkpoint, Ids } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { newToken } from './secrets.ts'
import { nextId } from '../support/next-id.ts'

export interface NewScopedKey {
  key: ScopedKey
  /** Shown once. */
  token: string
  checkpoint: Checkpoint | null
}

/** @throws {Refused} API_KEY_LIMIT_REACHED, VALIDATION_FAILED · {StoreUnavailable} */
export const newScopedKey = async (
  { accounts, ids }: { accounts: Accounts; ids: Ids },
  occasion: OwnersOccasion,
  { name, scopes, expires_at }: { name: string; scopes: Scope[]; expires_at: string | null },
): Promise<NewScopedKey> => {
  const api_key_id = await nextId(ids)
  const { token, hash: key_hash } = newToken('api_key', occasion.user_id)
  const key = { api_key_id, name, scopes, key_hash, expires_at, created_at: occasion.at.toISOString() }
  const { checkpoint } = await accounts.change(occasion, (account) => decide.addKey(account, key))
  return { key, token, checkpoint }
}
