// Tests: tests/attack/data-folder.test.ts
/**
 * The installation's two secrets. If they are not set, they are generated once and kept in the data folder (embedded default
 * only).
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeDataFolder } from '../system/data-folder.ts'
import { createPrivateFile, readPrivateFile } from '../system/private-file.ts'

export interface Secrets {
  /** Signs logins. */
  jwtSecret: string
  /** The first key seals, all keys open: see `vault.ts`. */
  vaultKeys: readonly string[]
}

/** The key of an installation is not where it was kept. A new one would open none of its secrets. */
class KeyLost extends Error {
  override name = 'KeyLost'
  constructor(path: string) {
    super(
      `${path} is missing, and this installation has secrets that are sealed with its key: put the file back (every backup contains it), or set VAULT_KEY as before. If the key is lost, set VAULT_KEY to a new one, and replace all secrets of rules, mailboxes, inboxes and personal URLs`,
    )
  }
}

const kept = (path: string, make: () => string, mayMake = true): string => {
  const found = readPrivateFile(path)?.trim()
  if (found) return found
  if (found === undefined && !mayMake) throw new KeyLost(path)
  createPrivateFile(path, `${make()}\n`)
  const text = readPrivateFile(path)?.trim()
  if (!text) throw new Error(`${path} is empty: restore the secret, or remove the file to generate a new one`)
  return text
}

/**
 * @param dataDir  the data folder; generated secrets are stored there in `jwt-secret` and `vault-key`, mode 0600
 * @param given  the values of the settings
 * @param isFounded  whether the installation existed before, so that its secrets are sealed already
 * @throws {KeyLost}
 */
export const keepSecrets = (
  dataDir: string,
  given: { jwtSecret?: string | undefined; vaultKey?: readonly string[] | undefined },
  isFounded = false,
): Secrets => {
  if (given.jwtSecret && given.vaultKey) return { jwtSecret: given.jwtSecret, vaultKeys: given.vaultKey }
  makeDataFolder(dataDir)
  const make = () => randomBytes(32).toString('hex')
  const vaultKeys = given.vaultKey ?? [kept(join(dataDir, 'vault-key'), make, !isFounded)]
  return { jwtSecret: given.jwtSecret ?? kept(join(dataDir, 'jwt-secret'), make), vaultKeys }
}
