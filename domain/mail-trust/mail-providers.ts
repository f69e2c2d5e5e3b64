// Tests: tests/unit/domain/mail-trust/mail-trust.test.ts
/** The authserv-ids under which the providers of mailboxes write their checks. A header with such an id is the provider's own. */

/** By IMAP host. Providers that write none, or a different one with every mail, are missing: their mails cannot be trusted. */
const AUTHSERV_IDS: Readonly<Record<string, readonly string[]>> = {
  'imap.gmail.com': ['mx.google.com'],
  'imap.googlemail.com': ['mx.google.com'],
  'imap.mail.me.com': ['dkim-verifier.icloud.com'],
  'imap.zoho.com': ['mx.zohomail.com'],
  'imappro.zoho.com': ['mx.zohomail.com'],
  'imap.gmx.net': ['gmx.net'],
  'imap.gmx.com': ['gmx.net'],
  'imap.fastmail.com': [1, 2, 3, 4, 5, 6].map((number) => `mx${number}.messagingengine.com`),
}

/**
 * @param own  the account's `authserv_id`, for an unknown provider
 * @returns ids in lower case. If there are none, no header of this mailbox is trusted.
 */
export const authservIdsOf = (host: string, own: string | null): readonly string[] =>
  AUTHSERV_IDS[host.toLowerCase()] ?? (own === null ? [] : [own.toLowerCase()])
