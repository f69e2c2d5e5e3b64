// Tests: tests/unit/cmd/process/recognise-vault-key.test.ts, tests/integration/key-rotation.test.ts
/**
 * Refuses a process that could not open what the others seal, and whose own secrets they could not open: webhooks would not be called. The database records the id
 * of the key with which the process seals that started last. Every process that starts must have this key, first or as an older one, unless the operator says that
 * it is lost.
 */
import { recordSealingKey, sealingKey } from '../../adapters/postgres/ops/installation.ts'
import type { Queryable } from '../../adapters/database/database.ts'
import { keyIdIn, keyIdOf } from '../../adapters/secrets/vault.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import { operatorOf } from '../../workflows/operator.ts'
import { unlessUnreadable } from '../../workflows/support/unless-unreadable.ts'
import type { Settings } from '../settings/settings.ts'

class ForeignVaultKey extends Error {
  override name = 'ForeignVaultKey'
  constructor(known: string, own: readonly string[]) {
    super(
      `this installation seals its secrets with the vault key ${known}, and VAULT_KEY (or the file vault-key) has only ${own.join(', ')}: set VAULT_KEY as for the other processes. If the key ${known} is lost, set LOST_VAULT_KEY=${known} too, and replace all secrets of rules, mailboxes, inboxes and personal URLs`,
    )
  }
}

export interface VaultKeyParts {
  settings: Pick<Settings, 'lostVaultKey'>
  vaultKeys: readonly string[]
  database: Queryable
  store: Pick<EventStore, 'read'>
  accounts: Pick<Accounts, 'find'>
}

/** @throws {ForeignVaultKey} */
export const recogniseVaultKey = async (parts: VaultKeyParts): Promise<void> => {
  const { settings, vaultKeys, database } = parts
  const own = vaultKeys.map(keyIdOf)
  const now = own[0]!
  const before = await sealingKey(database)
  if (before === now) return
  // Nothing is recorded in a new database, such as after the events were moved.
  const known = before ?? (await keyOfASecret(parts))
  if (known !== null && !own.includes(known) && known !== settings.lostVaultKey) throw new ForeignVaultKey(known, own)
  // Of two processes that found an installation at once with different keys, the second one is refused.
  // A full disk must not prevent the start.
  if (!(await recordSealingKey(database, { before, now }).catch(() => true))) await recogniseVaultKey(parts)
}

/** The id of the key of one stored secret, the operator's personal URL; null if there is none, or if the account cannot be read. */
const keyOfASecret = async ({ store, accounts }: Pick<VaultKeyParts, 'store' | 'accounts'>): Promise<string | null> => {
  const operator = await operatorOf(store)
  const account = operator === null ? null : await unlessUnreadable(() => accounts.find(operator))
  return account?.receive_url ? keyIdIn(account.receive_url.sealed_token) : null
}
