/**
 * Identifies a mail that became no transaction. Its Message-ID alone is not enough, because anybody can copy the Message-ID of another
 * mail. So a mail counts as already listed only if everything that is read of it is the same, so that its result is the same too.
 */
import { fingerprintOf } from '../dedup/text-marks.ts'
import type { Arrival } from './arrival.ts'

/** Null if it is not a mail. */
export const mailHashOf = ({ credential, incoming, stamp, mail }: Arrival): string | null => {
  if (credential.kind === 'kept') return credential.kept.mail_hash ?? null
  if (credential.kind !== 'mailbox' || !mail) return null
  const { from, subject, text } = incoming
  return fingerprintOf(
    JSON.stringify([credential.mail_account_id, mail.message_id, stamp, from ?? null, subject ?? null, text]),
  )
}
