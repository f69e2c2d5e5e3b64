/**
 * Tokens that proved good, by hash. Capture judges every notification's token on the account as it is. So these are a shortcut and never
 * the last word: a call with a known token may send its body at once, one with an unknown token is looked up first.
 */
import { hashOfToken } from '../../../domain/account/tokens.ts'

/** Some 10 MB. Tokens not used for longest are forgotten. */
const MOST_KNOWN = 50_000

export class KnownTokens {
  readonly #hashes = new Set<string>()

  has(token: string): boolean {
    return this.#hashes.has(hashOfToken(token))
  }

  learn(token: string): void {
    const hash = hashOfToken(token)
    this.#hashes.delete(hash)
    this.#hashes.add(hash)
    if (this.#hashes.size > MOST_KNOWN) this.#hashes.delete(this.#hashes.values().next().value!)
  }

  forget(token: string): void {
    this.#hashes.delete(hashOfToken(token))
  }
}
