/** A mail server, spoken to by SMTP; its address says how. */
import type { Mail } from '../../domain/ports.ts'

export interface MailServer {
  /** @throws {Rejected} where the server will never take it; anything else may be tried again */
  deliver(mail: Mail, messageId: string): Promise<void>
  close(): void
}

/** The server answered that it does not take this mail, now or later (5xx to the recipient or the text). */
export class Rejected extends Error {
  override name = 'Rejected'
  readonly responseCode: number
  constructor(responseCode: number) {
    super(`the mail server answers ${responseCode}`)
    this.responseCode = responseCode
  }
}

/** Milliseconds: to connect, to be greeted, and of silence. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 } as const

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

interface Refusal {
  responseCode?: number
  command?: string
}

/** What it says of this mail; of the login or of itself, it may say otherwise when it is set right. */
const rejection = ({ responseCode = 0, command = '' }: Refusal): Rejected | null =>
  responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command) ? new Rejected(responseCode) : null

/**
 * @param url  `smtp://` with STARTTLS where the server has it (required as soon as a password would go there over a net),
 *   or `smtps://`; user, password and port in it. `?from=` names the sender
 * @param fallbackFrom  the sender where the address names none and its user is no e-mail address
 */
export const openMailServer = async (url: string, fallbackFrom: string): Promise<MailServer> => {
  // Loaded where there is one: many installations have none.
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
    // A text is a text: it names no files or addresses to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  })
  return {
    deliver: async ({ to, subject, text }, messageId) => {
      try {
        // As an object, so that an address with a comma in it does not become two.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, messageId })
      } catch (error) {
        throw rejection(error as Refusal) ?? error
      }
    },
    close: () => transport.close(),
  }
}
