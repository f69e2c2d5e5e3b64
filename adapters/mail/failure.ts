// Tests: tests/attack/hostile-mail-server.test.ts
/**
 * Turns errors of a mail server into one sentence for the mailbox's owner. The sentence never contains a secret and has a
 * limited length.
 */
import { Failure } from '../webhook-sender/failure.ts'
import { MailFailure } from '../../workflows/mail-ingest/mailbox.ts'

interface ImapError extends Error {
  code?: string
  authenticationFailed?: boolean
  responseText?: string
  serverResponseCode?: string
  tlsFailed?: boolean
  upgradeError?: unknown
}

const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'The server refuses the connection.'],
  [/^(ETIMEDOUT|CONNECT_TIMEOUT|GREETING_TIMEOUT|UPGRADE_TIMEOUT|ETIMEOUT)$/, 'The server does not respond.'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'The server cannot be reached.'],
  [/^(ECONNRESET|EPIPE|NoConnection|EConnectionClosed|ClosedAfterConnectTLS|ClosedAfterConnectText)$/, 'The server closed the connection.'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/, "The server's certificate is not valid for its name."],
] // prettier-ignore

/** Errors of the library for behaviour that no honest server shows. Most cases are detected earlier (`server-limits.ts`). */
const VIOLATIONS: readonly (readonly [RegExp, string])[] = [
  [/^(LineTooLarge|LiteralTooLarge|ResponseTooLarge|TooManyTokens)$/, 'The server sent more than Baoco accepts.'],
  [/^(ResponseProcessingFailed|UnexpectedTag|InvalidResponse)$/, 'The server does not follow the IMAP protocol.'],
  [/^STARTTLS_INJECTION$/, 'The server sent data between STARTTLS and the start of encryption.'],
]

/** A login that is refused for now, whatever the password is: response codes of RFC 5530 and RFC 9051, and Gmail's words. */
const FOR_NOW = /^(?:UNAVAILABLE|LIMIT|INUSE|SERVERBUG)$/
const TOO_MANY = /simultaneous connections/i

/** Characters. Limits a server's text, because people read it. */
const LONGEST = 200

const quoted = (text: string | undefined): string => {
  const plain = (text ?? '').replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
  return plain === '' ? '' : ` It says: ${plain.slice(0, LONGEST)}`
}

export const mailFailure = (error: unknown): MailFailure => {
  if (error instanceof MailFailure) return error
  if (error instanceof Failure) return new MailFailure(error.message)
  const { code = '', authenticationFailed, responseText, serverResponseCode, tlsFailed, message } = error as ImapError
  if (authenticationFailed && (FOR_NOW.test(serverResponseCode ?? '') || TOO_MANY.test(responseText ?? '')))
    return new MailFailure(`The server accepts no login at the moment.${quoted(responseText)}`)
  if (authenticationFailed)
    return new MailFailure(`The server rejected the user name or the password.${quoted(responseText)}`, {
      isRefusal: true,
    })
  for (const [pattern, words] of VIOLATIONS)
    if (pattern.test(code)) return new MailFailure(words, { isViolation: true })
  for (const [pattern, words] of BY_CODE) if (pattern.test(code)) return new MailFailure(words)
  if (tlsFailed || /STARTTLS/i.test(message))
    return new MailFailure('The server does not support encryption (STARTTLS).')
  if (/certificate|altnames/i.test(message))
    return new MailFailure("The server's certificate is not valid for its name.")
  if (/^ERR_SSL|^EPROTO/.test(code)) return new MailFailure('The server does not speak TLS on this port.')
  return new MailFailure(`The mailbox could not be read.${quoted(responseText)}`)
}
