/** An SMTP server for tests, which keeps the mails that it accepts. */
import type { AddressInfo } from 'node:net'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TestMailServer {
  port: number
  mails: ParsedMail[]
  /** The sender addresses that clients gave. */
  senders: string[]
  /** The number of encrypted connections. */
  secured: () => number
  close(): Promise<void>
}

/** @param options.port  0 or missing: any free port */
export const startMailServer = (options: SMTPServerOptions = {}, port = 0): Promise<TestMailServer> =>
  new Promise((resolve, reject) => {
    const mails: ParsedMail[] = []
    const senders: string[] = []
    let secured = 0
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.key ? [] : ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 500,
      onSecure: (_socket, _session, done) => {
        secured++
        done()
      },
      onData: (stream, session, done) => {
        simpleParser(stream).then((mail) => {
          mails.push(mail)
          if (session.envelope.mailFrom) senders.push(session.envelope.mailFrom.address)
          done()
        }, done)
      },
      ...options,
    })
    server.on('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      server.on('error', () => {}) // Ignore clients that disconnect early.
      resolve({
        port: (server.server.address() as AddressInfo).port,
        mails,
        senders,
        secured: () => secured,
        close: () => new Promise((done) => server.close(() => done())),
      })
    })
  })
