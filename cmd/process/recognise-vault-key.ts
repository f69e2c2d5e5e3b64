// Tests: tests/integration/key-rotation.test.ts
/**
 * Refuses a process that could not open what the others seal, and whose own secrets they could not open: webhooks would not be called. The database records the id
 * of the key with which the process seals that started last. Every process that starts must have this key, first or as an older one, unless the operator says that
 * it is lost.
 */
import { recordSealingKey, sealingKey } from '../../adapters/postgres/ops/installation.ts'
import type { Queryable } from '../../adapters/database/database.ts'
import { keyIdOf } from '../../adapters/secrets/vault.ts'
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
  /** Whether the keys open a stored secret, if there is one. Asked only if no key is recorded. */
  opensSecrets: () => Promise<boolean>
}

/** @throws {ForeignVaultKey} */
export const recogniseVaultKey = async (parts: VaultKeyParts): Promise<void> => {
  const { settings, vaultKeys, database, opensSecrets } = parts
  const own = vaultKeys.map(keyIdOf)
  const now = own[0]!
  const before = await sealingKey(database)
  if (before === now) return
  if (before !== null && !own.includes(before) && before !== settings.lostVaultKey)
    throw new ForeignVaultKey(before, own)
  // An earlier version has lost its key: it goes on, and the log names it.
  if (before === null && !(await opensSecrets())) return
  // Of two processes that found an installation at once with different keys, the second one is refused.
  if (!(await recordSealingKey(database, { before, now }))) await recogniseVaultKey(parts)
}
