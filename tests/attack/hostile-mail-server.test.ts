/**
 * Attack: users name mail servers that harm the collector. Each server here does one thing that an honest one never does. The process must
 * survive with bounded memory and without blocking, other mailboxes must be collected meanwhile, and a mailbox whose server breaks the
 * limits three times is paused, with an alert and a mail to its owner.
 */
import { expect } from 'chai'
import { parseEvent } from '../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { openIds } from '../../adapters/system/ids.ts'
import { openImap } from '../../adapters/mail/imap.ts'
import { openOutbox } from '../../adapters/mail-out/outbox.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { openLeases } from '../../adapters/database/leases.ts'
import { openMailboxNotes } from '../../adapters/postgres/ops/mailbox-notes.ts'
import { activeMailboxes, listedMails } from '../../projections/mail-account/queries.ts'
import { openVault } from '../../adapters/secrets/vault.ts'
import type { EventStore } from '../../domain/ports.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { pauseMailAccount } from '../../workflows/accounts/mail-accounts.ts'
import { openCapture } from '../../workflows/capture/capture.ts'
import { runCollector } from '../../workflows/mail-ingest/collect.ts'
import { openSlots } from '../../workflows/mail-ingest/slots.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { AUTHSERV_ID, timoMail } from '../harness/bank-mails.ts'
import { eventually } from '../harness/eventually.ts'
import { drip, flood, startImapServer, type ImapServer, type Sabotage } from './imap-server.ts'

const MB = 1024 * 1024
const WAIT = { within: 120_000 }
/**
 * The time limits are a fifth of the normal ones. With much less, a flood on a busy machine exceeds the time before it exceeds the bytes, and a
 * server that is only slow is not paused.
 */
const PATIENCE = 0.2
/** CPU time of all threads. Compilation of libraries during the test takes up to a second; the attacks took minutes. */
const STANDS_STILL_MS = 3_000
const MOST_GROWTH = 400 * MB

const literal = (size: number | string) => `{${size}}\r\n`

/** Servers that are paused after the third violation. */
const VIOLATIONS: Record<string, Sabotage> = {
  'greets without an end': { greet: (socket) => flood(socket, '* OK '.padEnd(64 * 1024, 'x')) },
  'greets one byte at a time': { greet: (socket) => drip(socket, 20) },
  'sends a line that never ends': { on: { EXAMINE: ({ socket }) => flood(socket, 'x'.repeat(64 * 1024)) } },
  'announces a literal of 4 GB': { on: { LIST: ({ socket }) => socket.write(`* LIST () "/" ${literal(4 * 1024 * MB)}`) } },
  'hides a literal behind zeros': { on: { LIST: ({ socket }) => socket.write(`* LIST () "/" ${literal('9'.padStart(60_000, '0'))}`) } },
  'lists mails that were not asked for': {
    on: {
      EXAMINE: ({ say, tag }) => (say('* OK [UIDVALIDITY 7] x'), say('* OK [UIDNEXT 50000] x'), say(`${tag} OK`)),
      SEARCH: ({ socket, tag }) => socket.write(`* SEARCH ${'7 9999999 99 4294967295 '.repeat(2_000)}\r\n${tag} OK\r\n`),
    },
  },
  'lists mails without an end': { on: { SEARCH: ({ socket }) => flood(socket, `* SEARCH ${'1 '.repeat(30_000)}\r\n`) } },
  'answers a search one byte at a time': { on: { SEARCH: ({ socket }) => drip(socket, 20) } },
  'sends the same mail again and again': {
    on: { SEARCH: oneMail, FETCH: ({ socket }) => flood(socket, `* 1 FETCH (UID 1 BODY[]<0> ${literal(100_000)}${'x'.repeat(100_000)})\r\n`) },
  },
  'sends mails that were not asked for': {
    on: { SEARCH: oneMail, FETCH: ({ socket, tag }) => socket.write(`* 2 FETCH (UID 2 BODY[]<0> ${literal(1)}x)\r\n${tag} OK\r\n`) },
  },
  'sends a mail of more bytes than asked for': {
    on: { SEARCH: oneMail, FETCH: ({ socket }) => socket.write(`* 1 FETCH (UID 1 BODY[]<0> ${literal(2 * MB)}`) },
  },
  'reports new mails all the time': { on: { IDLE: ({ socket }) => flood(socket, '* 1 EXISTS\r\n* 2 EXISTS\r\n') } },
  'never stops while nothing is asked': { on: { IDLE: ({ socket }) => flood(socket, '* 1 FETCH (FLAGS (\\Seen))\r\n'.repeat(1_000)) } },
  'sends a mail while nothing is asked': { on: { IDLE: ({ socket }) => socket.write(`* 1 FETCH (UID 1 BODY[] ${literal(5)}`) } },
  'sends a hundred thousand parts in a line': { on: { EXAMINE: ({ socket }) => socket.write(`* FLAGS (${'a '.repeat(100_000)})\r\n`) } },
} // prettier-ignore

/** Servers that are only retried later, because they harm no other mailbox. */
const NUISANCES: Record<string, Sabotage> = {
  'closes in the middle of a mail': {
    on: { SEARCH: oneMail, FETCH: ({ socket }) => socket.end(`* 1 FETCH (UID 1 BODY[]<0> ${literal(100)}x`) },
  },
  'breaks off': { on: { EXAMINE: ({ socket }) => socket.resetAndDestroy() } },
  'closes with BYE at once': { greet: (socket) => socket.end('* BYE no\r\n') },
  'never answers': { greet: () => {} },
  'sends no IMAP at all': { greet: (socket) => socket.end(Buffer.from('\x16\x03\x01\0\0\r\n\0\xff\r\n'.repeat(100), 'latin1')) },
  'answers commands that were not given': { on: { CAPABILITY: ({ socket }) => socket.end('1 OK\r\n2 OK\r\n3 OK\r\n4 BAD\r\nA9 OK\r\n') } },
  'opens brackets without an end': { on: { LIST: ({ socket, tag }) => socket.end(`* LIST ${'('.repeat(100_000)}\r\n${tag} OK\r\n`) } },
  'numbers mails as no server can': { on: { EXAMINE: ({ say, tag }) => (say('* OK [UIDVALIDITY -1] x'), say('* OK [UIDNEXT 99999999999999999999] x'), say(`${tag} OK`)) } },
  'wants to be asked again in a year': { on: { SEARCH: ({ say, tag }) => say(`${tag} BAD Request is throttled. Suggested Backoff Time: 99999999999 milliseconds`) } },
} // prettier-ignore

function oneMail({ say, tag }: { say: (line: string) => void; tag: string }): void {
  say('* SEARCH 1')
  say(`${tag} OK`)
}

describe('attack: a hostile mail server', function () {
  this.timeout(300_000)
  let api: ApiUnderTest
  let database: Database
  let store: EventStore
  let honest: ImapServer
  let key: string
  let delivered = 0
  const servers: ImapServer[] = []
  const troubles: unknown[] = []
  const stopping = new AbortController()
  let running: Promise<void>
  let memoryBefore: number
  /** The longest CPU time between two turns of the event loop, in milliseconds. */
  let longestTurn = 0
  let ticking: NodeJS.Timeout
  const watchTurns = () => {
    let last = process.cpuUsage()
    ticking = setInterval(() => {
      const { user, system } = process.cpuUsage(last)
      last = process.cpuUsage()
      longestTurn = Math.max(longestTurn, (user + system) / 1_000)
    }, 5)
  }

  const mailbox = (port: number, username: string, more: object = {}) => ({
    email: `${username}@mailbox.example`, host: '127.0.0.1', port, tls: false, username, password: 'x', authserv_id: AUTHSERV_ID, ...more,
  }) // prettier-ignore
  const add = async (as: string, server: ImapServer, username: string, more: object = {}): Promise<string> => {
    const json = mailbox(server.port, username, more)
    const { status, body } = await api.ask('POST', '/api/mail-accounts', { key: as, json })
    expect(status, JSON.stringify(body)).to.equal(201)
    return `/api/mail-accounts/${body.data.id}`
  }
  const lastError = async (as: string, path: string): Promise<string | null> =>
    (await api.ask('GET', path, { key: as })).body.data.last_error
  const orders = async (): Promise<string[]> =>
    (await api.ask('GET', '/api/transactions', { key })).body.data.map((each: { order_id: string }) => each.order_id)

  /** Checks that a mail to the honest mailbox is collected despite the other servers. */
  const othersAreCollected = async () => {
    const order = `DH${3000 + ++delivered}`
    honest.deliver(timoMail(delivered, order, { to: 'honest@mailbox.example' }))
    await eventually(async () => (await orders()).includes(order), { ...WAIT, what: `the mail ${order}` })
  }
  const livesOn = async () => {
    await othersAreCollected()
    expect(process.memoryUsage().rss - memoryBefore, 'memory').to.be.lessThan(MOST_GROWTH)
    expect(longestTurn, 'the longest the process stood still (ms of CPU)').to.be.lessThan(STANDS_STILL_MS)
    expect(troubles).to.deep.equal([])
  }

  interface Attacked {
    key: string
    path: string
    server: ImapServer
    user: string
  }
  const attacked = new Map<string, Attacked>()

  before(async () => {
    api = await openApi({}, 'real')
    key = api.owner.api_key
    database = openDatabase(api.databaseUrl, { poolSize: 5 })
    store = await openPostgresEventStore({ url: api.databaseUrl, parse: parseEvent })
    honest = await startImapServer()
    servers.push(honest)
    await add(key, honest, 'honest')
    const owners = await Promise.all([1, 2, 3].map((n) => api.newAccount(`hostile${n}@example.com`, 'Pro')))
    const all = Object.entries({ ...VIOLATIONS, ...NUISANCES })
    for (const [n, [what, sabotage]] of all.entries()) {
      const server = await startImapServer(sabotage)
      servers.push(server)
      const owner = owners[n % owners.length]!
      attacked.set(what, {
        key: owner.api_key,
        path: await add(owner.api_key, server, `box-${n}`),
        server,
        user: `hostile${(n % owners.length) + 1}@example.com`,
      })
    }
    const { clock } = api
    const vault = openVault(['ab'.repeat(32)])
    await Promise.all([import('imapflow'), import('mailparser')])
    memoryBefore = process.memoryUsage().rss
    watchTurns()
    running = runCollector(
      {
        server: openImap({ allowPrivate: true, patience: PATIENCE }),
        notes: openMailboxNotes(database),
        leases: openLeases(database),
        random: Math.random,
        mailboxes: () => activeMailboxes(database),
        listed: (userId, hashes) => listedMails(database, userId, hashes),
        open: (sealed) => vault.open(sealed),
        capture: openCapture({ store, ids: openIds({ store, clock }), clock, plans: null }),
        clock,
        connecting: openSlots(20, 4),
        fetching: openSlots(8, 2),
        pause: (box, reason) => pauseMailAccount({ accounts: new Accounts(store), clock }, box, reason),
        // A busy machine may delay the database's connections. The mail servers do not cause that.
        onFailure: (error) => {
          if (!/connection timeout/.test(String(error))) troubles.push(error)
        },
      },
      stopping.signal,
    )
  })
  after(async () => {
    stopping.abort()
    await running
    clearInterval(ticking)
    for (const server of servers) server.close()
    await store.close()
    await database.close()
    await api.close()
  })

  for (const what of Object.keys(VIOLATIONS))
    it(`that ${what} is paused after the third violation`, async () => {
      const { key: as, path, server } = attacked.get(what)!
      await eventually(async () => /The mailbox is paused/.test((await lastError(as, path)) ?? ''), {
        ...WAIT,
        what: `the pause (${await lastError(as, path)})`,
      })
      expect((await api.ask('GET', path, { key: as })).body.data.is_active).to.equal(1)
      await eventually(() => server.connections() === 0, WAIT)
      await livesOn()
    })

  for (const what of Object.keys(NUISANCES))
    it(`that ${what} disturbs no other mailbox, and is not paused`, async () => {
      const { key: as, path } = attacked.get(what)!
      await eventually(async () => (await lastError(as, path)) !== null, { ...WAIT, what: 'the error' })
      expect(await lastError(as, path)).to.not.match(/paused/)
      await livesOn()
    })

  it('cannot name millions of mails in a few bytes', async () => {
    const { api_key: as } = await api.newAccount('millions@example.com', 'Pro')
    const vanished = await startImapServer({
      on: { IDLE: ({ socket }) => socket.write('* VANISHED 1:4294967295\r\n'.repeat(100)) },
    })
    const esearch = await startImapServer({
      capabilities: 'ESEARCH QRESYNC CONDSTORE ENABLE IMAP4rev2 COMPRESS=DEFLATE',
      on: {
        SEARCH: ({ socket, tag }) =>
          socket.write(`* 4294967295 EXISTS\r\n* ESEARCH (TAG "${tag}") UID ALL 1:4294967295\r\n${tag} OK\r\n`),
      },
    })
    servers.push(vanished, esearch)
    await add(as, vanished, 'vanished')
    await add(as, esearch, 'esearch')
    const idles = ({ received }: ImapServer) => received.some((line) => / IDLE$/.test(line))
    await eventually(() => idles(vanished) && esearch.received.some((line) => / SEARCH /.test(line)), WAIT)
    await livesOn()
    expect(esearch.received.filter((line) => /ENABLE|COMPRESS/i.test(line))).to.deep.equal([])
  })

  it('causes an alert and a mail to the owner; the alert ends when the owner changes the mail account', async () => {
    const { key: as, path, server, user } = attacked.get('sends a line that never ends')!
    const subject = `mail_account:${path.split('/').at(-1)}`
    const alert = async (): Promise<{ kind: string; subject: string; text: string; until: string | null } | undefined> =>
      (await api.ask('GET', '/api/alerts', { key: as })).body.data.find((each: { subject: string }) => each.subject === subject)
    const { kind, text, until } = await eventually(alert, WAIT)
    expect({ kind, until }).to.deep.equal({ kind: 'mailbox_paused', until: null })
    expect(text).to.match(/^The mailbox \S+@mailbox\.example was paused: .*longer than 256 KB/).and.include('set the mail account active again')
    const outbox = openOutbox(database)
    await eventually(async () => (await outbox.list()).some((mail) => mail.to === user && mail.text.includes(text)), WAIT)

    server.sabotage = {}
    expect((await api.ask('PUT', path, { key: as, json: {} })).status).to.equal(200)
    expect(await lastError(as, path)).to.match(/paused/)
    expect((await api.ask('PUT', path, { key: as, json: { is_active: 1 } })).status).to.equal(200)
    await eventually(async () => (await alert())!.until !== null, WAIT)
    await eventually(async () => (await lastError(as, path)) === null, { ...WAIT, what: 'that it is read again' })
    server.deliver(timoMail(900, 'DH900', { to: path }))
    await eventually(() => server.received.some((line) => / FETCH /.test(line)), WAIT)
  }) // prettier-ignore

  it('does not harm the API when its mail account is tested', async () => {
    for (const what of [
      'greets without an end',
      'sends a mail of more bytes than asked for',
      'closes in the middle of a mail',
    ]) {
      const { key: as, path } = attacked.get(what)!
      const { status, body } = await api.ask('POST', `${path}/test`, { key: as })
      expect([status, body.success], what).to.deep.equal([200, false])
      expect(body.error, what).to.be.a('string')
    }
  })

  it('that does not speak the requested TLS causes a clear error', async () => {
    const { api_key: as } = await api.newAccount('tls@example.com', 'Pro')
    const garbage = await startImapServer({ greet: (socket) => flood(socket, Buffer.alloc(16 * 1024, 0x16)) })
    servers.push(garbage)
    const path = await add(as, garbage, 'tls', { tls: true })
    await eventually(async () => /TLS|closed/.test((await lastError(as, path)) ?? ''), WAIT)
    await livesOn()
  })
})
