/**
 * With which secrets a rule's calls are signed. After a rotation the one before signs as well, for 24 hours, so that a shop can
 * change its own copy at any time within them (decision "Secret rotation").
 */
import type { Signing } from './signature.ts'

/** Milliseconds in which both secrets sign. */
export const BOTH_SIGN_FOR = 24 * 60 * 60 * 1000

/** A rule's secrets as events and read models keep them: sealed by the vault. */
export interface SealedSecrets {
  sealed_secret: string
  /** The one before the last rotation. */
  sealed_previous?: string | null | undefined
  /** ISO 8601: until then the previous one signs, too. */
  previous_until?: string | null | undefined
}

/** Until when the previous secret signs, too; null where it signs no more, or there is none. @param at  milliseconds since 1970 */
export const previousUntil = ({ sealed_previous, previous_until }: SealedSecrets, at: number): string | null =>
  sealed_previous && previous_until && at < Date.parse(previous_until) ? previous_until : null

/**
 * @param timestamp  of the call, Unix seconds: its signatures can be made again from it
 * @param open  the vault's
 */
export const signingSecrets = (
  sealed: SealedSecrets,
  timestamp: number,
  open: (sealed: string) => string,
): Pick<Signing, 'secret' | 'previous'> => {
  const both = previousUntil(sealed, timestamp * 1000) !== null
  return { secret: open(sealed.sealed_secret), previous: both ? open(sealed.sealed_previous!) : null }
}
