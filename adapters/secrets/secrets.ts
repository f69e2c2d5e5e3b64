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

const kept = (path: string, make: () => string): string => {
  const found = readPrivateFile(path)?.trim()
  if (found) return found
  createPrivateFile(path, `${make()}\n`)
  const text = readPrivateFile(path)?.trim()
  if (!text) throw new Error(`${path} is empty: restore the secret, or remove the file to generate a new one`)
  return text
}

/**
 * @param dataDir  the data folder; generated secrets are stored there in `jwt-secret` and `vault-key`, mode 0600
 * @param given  the values of the settings
 */
export const keepSecrets = (
  dataDir: string,
  given: { jwtSecret?: string | undefined; vaultKey?: readonly string[] | undefined },
): Secrets => {
  if (given.jwtSecret && given.vaultKey) return { jwtSecret: given.jwtSecret, vaultKeys: given.vaultKey }
  makeDataFolder(dataDir)
  return {
    jwtSecret: given.jwtSecret ?? kept(join(dataDir, 'jwt-secret'), () => randomBytes(32).toString('hex')),
    vaultKeys: given.vaultKey ?? [kept(join(dataDir, 'vault-key'), () => randomBytes(32).toString('hex'))],
  }
}
