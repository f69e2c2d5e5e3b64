// Tests: tests/unit/domain/mail-trust/mail-trust.test.ts
/** The authserv-ids under which the providers of mailboxes write their checks. A header with such an id is the provider's own. */

import { authservIdOf, LONGEST } from './authentication-results.ts'

/** Stands for all ids under this domain. Fastmail's servers write under their own names, such as `phl-mx-04.messagingengine.com`. */
const FASTMAIL = '.messagingengine.com'

/** By IMAP host. Providers that write none, or a different one with every mail, are missing: their mails cannot be trusted. */
const AUTHSERV_IDS: Readonly<Record<string, readonly string[]>> = {
  'imap.gmail.com': ['mx.google.com'],
  'imap.googlemail.com': ['mx.google.com'],
  'imap.mail.me.com': ['dkim-verifier.icloud.com'],
  'imap.zoho.com': ['mx.zohomail.com'],
  'imappro.zoho.com': ['mx.zohomail.com'],
  'imap.gmx.net': ['gmx.net'],
  'imap.gmx.com': ['gmx.net'],
  'imap.fastmail.com': [FASTMAIL],
}

/**
 * @param own  the account's `authserv_id`, for an unknown provider
 * @returns ids in lower case. If there are none, no header of this mailbox is trusted.
 */
export const authservIdsOf = (host: string, own: string | null): readonly string[] =>
  AUTHSERV_IDS[host.toLowerCase()] ?? (own === null ? [] : [own.toLowerCase()])

/** @param ids  from `authservIdsOf` */
export const isIdAmong = (ids: readonly string[], id: string): boolean =>
  ids.some((each) => id === each || (each === FASTMAIL && id.endsWith(FASTMAIL)))

/**
 * Fastmail divides its results among several headers, one directly below the other. Headers of the sender cannot be next to them: Fastmail's
 * `Received` stands between. Other providers' headers may stand directly above the sender's, so those are never joined.
 *
 * @param above  the header directly above
 * @returns both as one header, or null if they stay apart
 */
export const joinedResults = (above: string, header: string): string | null => {
  const id = above.length > LONGEST ? null : authservIdOf(above)
  if (id === null || !id.endsWith(FASTMAIL) || authservIdOf(header) !== id) return null
  const results = header.indexOf(';')
  return results < 0 ? null : above + header.slice(results)
}
