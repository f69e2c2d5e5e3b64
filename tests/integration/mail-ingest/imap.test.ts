import { expect } from 'chai'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { openImap, type ImapOptions } from '../../../adapters/mail/imap.ts'
import type { MailFailure } from '../../../workflows/mail-ingest/mailbox.ts'

const LOGIN = { host: '127.0.0.1', tls: false, username: 'shop', password: 'secret-password', folder: 'INBOX' }

describe('a mail server that refuses the login', () => {
  const refusedWith = async (answer: string) => {
    const server = createServer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n')
      socket.setEncoding('utf8').on('error', () => {})
      socket.on('data', (lines: string) => {
        for (const line of lines.trim().split('\r\n'))
          socket.write(`${line.split(' ', 1)[0]} ${/AUTHENTICATE|LOGIN/.test(line) ? answer : 'OK done'}\r\n`)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      return await openImap({ allowPrivate: true })
        .connect({ ...LOGIN, port }, new AbortController().signal)
        .then(() => null, (error: MailFailure) => ({ text: error.message, isRefusal: error.isRefusal })) // prettier-ignore
    } finally {
      server.close()
    }
  }

  it('because of the password, is not asked again soon', async () => {
    expect(await refusedWith('NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)')).to.deep.equal({
      text: 'The server rejected the user name or the password. It says: Invalid credentials (Failure)',
      isRefusal: true,
    })
    expect(await refusedWith('NO [ALERT] Please log in via your web browser')).to.include({ isRefusal: true })
  })

  for (const answer of [
    'NO [UNAVAILABLE] Temporary authentication failure.',
    'NO [LIMIT] Too many connections.',
    'NO [INUSE] In use.',
    'NO [ALERT] Too many simultaneous connections. (Failure)',
  ])
    it(`for now (${answer}), is asked again soon, and the password is not blamed`, async () => {
      expect(await refusedWith(answer)).to.deep.equal({
        text: `The server accepts no login at the moment. It says: ${answer.replace(/^NO \[.*\] /, '')}`,
        isRefusal: false,
      })
    })
})

describe('a mail server that does not encrypt', () => {
  let server: Server
  let logged: string
  let port: number

  beforeEach(async () => {
    logged = ''
    server = createServer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready\r\n')
      socket.setEncoding('utf8').on('error', () => {})
      socket.on('data', (lines: string) => {
        logged += lines
        for (const line of lines.trim().split('\r\n')) {
          if (/ SELECT | EXAMINE /.test(line))
            socket.write('* 0 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 1] x\r\n')
          socket.write(`${line.split(' ', 1)[0]} OK done\r\n`)
        }
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => server.close())

  const failure = (options: ImapOptions): Promise<string | null> =>
    openImap(options)
      .connect({ ...LOGIN, port }, new AbortController().signal)
      .then(
        async (connection) => {
          await connection.close()
          return null
        },
        (error: Error) => error.message,
      )

  it('receives no password if it is on another machine', async () => {
    const elsewhere = { allowPrivate: true, isHere: () => false }
    expect(await failure(elsewhere)).to.equal('The server does not support encryption (STARTTLS).')
    expect(logged).to.not.match(/LOGIN|AUTHENTICATE|secret/i)
  })

  it('is read if it is on this machine and that is allowed', async () => {
    expect(await failure({ allowPrivate: true })).to.equal(null)
    expect(logged).to.match(/AUTHENTICATE|LOGIN/i)
  })

  it('is not connected to if private addresses are not allowed', async () => {
    expect(await failure({ allowPrivate: false })).to.equal('127.0.0.1 is not a public address.')
    expect(logged).to.equal('')
  })

  it('is not connected to under a name with a local address', async () => {
    const { connect } = openImap({ allowPrivate: false, resolve: () => Promise.resolve(['8.8.8.8', '127.0.0.1']) })
    const error = await connect({ ...LOGIN, host: 'imap.example', port }, new AbortController().signal).catch(String)
    expect(String(error)).to.include('is not a public address')
    expect(logged).to.equal('')
  })
})
