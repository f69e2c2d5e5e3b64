// Tests: tests/attack/secret-rotation.test.ts
/** Opened secrets of rules, so that a busy rule's secret is opened once. Only a limited number, and only in memory. */
import type { Vault } from '../../domain/ports.ts'

const MOST = 1_000

export class SecretCache {
  readonly #vault: Vault
  readonly #secrets = new Map<string, string>()

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** @throws what the vault throws */
  open(sealed: string): string {
    const known = this.#secrets.get(sealed)
    if (known !== undefined) return known
    const secret = this.#vault.open(sealed)
    if (this.#secrets.size >= MOST) this.#secrets.clear()
    this.#secrets.set(sealed, secret)
    return secret
  }
}
