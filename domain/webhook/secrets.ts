// Tests: tests/attack/secret-rotation.test.ts
/**
 * The secrets that sign a rule's calls. After a rotation the previous secret also signs for 24 hours, so that a shop can update its
 * own copy at any time within them (decision "Secret rotation").
 */
import { unlessNotOpened } from '../errors.ts'
import { DAY_MS } from '../time.ts'
import type { Signing } from './signature.ts'

/** Time in milliseconds during which both secrets sign. */
export const BOTH_SIGN_FOR = DAY_MS

/** A rule's secrets as events and read models store them: sealed by the vault. */
export interface SealedSecrets {
  sealed_secret: string
  /** The secret before the last rotation. */
  sealed_previous?: string | null | undefined
  /** ISO 8601. Until then the previous secret also signs. */
  previous_until?: string | null | undefined
}

/** The time until which the previous secret also signs. Null if it no longer does, or if there is none. @param at  ms since 1970 */
export const previousUntil = ({ sealed_previous, previous_until }: SealedSecrets, at: number): string | null =>
  sealed_previous && previous_until && at < Date.parse(previous_until) ? previous_until : null

/**
 * A previous secret that cannot be opened does not sign, so that a rotation repairs a rule at once.
 * @param timestamp  of the call, Unix seconds. Its signatures can be reproduced from it.
 * @param open  the `open` of the vault
 * @throws {NotOpened} for the current secret
 */
export const signingSecrets = (
  sealed: SealedSecrets,
  timestamp: number,
  open: (sealed: string) => string,
): Pick<Signing, 'secret' | 'previous'> => {
  const both = previousUntil(sealed, timestamp * 1000) !== null
  const previous = both ? unlessNotOpened(() => open(sealed.sealed_previous!)) : null
  return { secret: open(sealed.sealed_secret), previous }
}
