// Tests: tests/attack/secret-rotation.test.ts
/** Opened secrets of rules, so that a busy rule's secret is opened once. Only a limited number, and only in memory. */
import type { Vault } from '../../domain/ports.ts'

const MOST = 1_000

/** @returns a function that opens a secret. It throws what the vault throws. */
export const secretCache = (vault: Vault): ((sealed: string) => string) => {
  const secrets = new Map<string, string>()
  return (sealed) => {
    const known = secrets.get(sealed)
    if (known !== undefined) return known
    const secret = vault.open(sealed)
    if (secrets.size >= MOST) secrets.clear()
    secrets.set(sealed, secret)
    return secret
  }
}
