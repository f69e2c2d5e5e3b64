// Tests: tests/integration/mail-out/mail-out.test.ts
/** A mail server that is reached over SMTP. Its URL contains all settings. */
import type { Mail } from '../../domain/ports.ts'

export interface MailServer {
  /** @throws {Rejected} if the server will never accept the mail; after any other error the mail can be attempted again */
  deliver(mail: Mail, messageId: string): Promise<void>
  close(): void
}

/** The server answered that it will never accept this mail (5xx to the recipient or the text). */
export class Rejected extends Error {
  override name = 'Rejected'
  readonly responseCode: number
  constructor(responseCode: number) {
    super(`the mail server answers ${responseCode}`)
    this.responseCode = responseCode
  }
}

/** Milliseconds: for the connection, for the greeting, and of silence. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 } as const

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

interface Refusal {
  responseCode?: number
  command?: string
}

/**
 * Only answers about this mail are final. Errors about the login or the server may disappear once the settings are corrected.
 */
const rejection = ({ responseCode = 0, command = '' }: Refusal): Rejected | null =>
  responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command) ? new Rejected(responseCode) : null

/**
 * @param url  `smtp://` uses STARTTLS if the server supports it, and requires it if a password would cross a network; or
 *   `smtps://`. It contains user, password and port. `?from=` is the sender.
 * @param fallbackFrom  the sender if the URL names none and its user is not an email address
 */
export const openMailServer = async (url: string, fallbackFrom: string): Promise<MailServer> => {
  // Loaded only if a mail server is configured: many installations have none.
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  const secure = protocol === 'smtps:'
  const user = decodeURIComponent(username)
  const from = searchParams.get('from') ?? (user.includes('@') ? user : fallbackFrom)
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && user !== '' && !LOOPBACK.test(hostname),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(password) } }),
    // The text of a mail must not cause nodemailer to read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  })
  return {
    deliver: async ({ to, subject, text }, messageId) => {
      try {
        // As an object, so that an address that contains a comma does not become two.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, messageId })
      } catch (error) {
        throw rejection(error as Refusal) ?? error
      }
    },
    close: () => transport.close(),
  }
}
