/**
 * By what a mail is known again that became no transaction. Not by its Message-ID alone: anybody can write the one of another
 * mail, so a mail counts as listed already only where all that is read of it is the same, and it is judged the same again.
 */
import { fingerprintOf } from '../dedup/text-marks.ts'
import type { Arrival } from './arrival.ts'

/** Null for what is no mail. */
export const mailHashOf = ({ credential, incoming, stamp, mail }: Arrival): string | null => {
  if (credential.kind === 'kept') return credential.kept.mail_hash ?? null
  if (credential.kind !== 'mailbox' || !mail) return null
  const { from, subject, text } = incoming
  return fingerprintOf(
    JSON.stringify([credential.mail_account_id, mail.message_id, stamp, from ?? null, subject ?? null, text]),
  )
}
