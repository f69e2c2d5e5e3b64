/** Under which authserv-id a mailbox's provider writes what it found: with it the header is the provider's word. */

/** By the IMAP host. Providers that write none, or another with every mail, are not here: their mails cannot be believed. */
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
 * @param own  the account's `authserv_id`, for a provider that is not known
 * @returns lower case; none: no header of this mailbox is to be believed
 */
export const authservIdsOf = (host: string, own: string | null): readonly string[] =>
  AUTHSERV_IDS[host.toLowerCase()] ?? (own === null ? [] : [own.toLowerCase()])
