import { expect } from 'chai'
import { openOutbox, sweepOutbox, type Outbox } from '../../../adapters/mail-out/outbox.ts'
import { postMails } from '../../../adapters/mail-out/post-mails.ts'
import { openMailServer } from '../../../adapters/mail-out/smtp.ts'
import type { Database } from '../../../adapters/database/database.ts'
import { eventually } from '../../harness/eventually.ts'
import { startMailServer, type TestMailServer } from '../../harness/mail-server.ts'
import { openFreshDatabase } from '../../harness/postgres.ts'
import { CERTIFICATE, KEY } from '../webhook-sender/certificate.ts'

const MAIL = {
  to: 'chu.shop@example.com',
  subject: 'Xác nhận địa chỉ',
  text: 'Mở liên kết: https://pay.example/x?a=1\n',
}

describe('outgoing mail', () => {
  let database: Database
  let close: () => Promise<void>
  let outbox: Outbox
  let server: TestMailServer | undefined
  let logged: { what: string; fields: Record<string, unknown> }[]
  let stops: (() => Promise<void>)[]

  before(async () => {
    ;({ database, close } = await openFreshDatabase())
  })
  after(() => close())
  beforeEach(async () => {
    await database.query('DELETE FROM ops.outbox')
    outbox = openOutbox(database)
    logged = []
    stops = []
  })
  afterEach(async () => {
    for (const stop of stops) await stop()
    await server?.close()
    server = undefined
  })

  const post = async (url: string, from: Outbox = outbox, lookEvery = 50) => {
    const stopping = new AbortController()
    const line = (fields: object, what: string) => void logged.push({ what, fields: fields as Record<string, unknown> })
    const running = postMails(
      {
        outbox: from,
        server: await openMailServer(url, 'owner@baoco.example'),
        host: 'pay.example',
        log: { debug: line, info: line, warn: line, error: line },
        lookEvery,
      },
      stopping.signal,
    )
    stops.push(async () => {
      stopping.abort()
      await running
    })
  }
  const dueNow = () => database.query("UPDATE ops.outbox SET due_at = now() WHERE due_at < 'infinity'")

  it('arrives unchanged through a mail server', async () => {
    server = await startMailServer()
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(() => server!.mails.length === 1)
    const [mail] = server.mails
    expect(mail!.subject).to.equal(MAIL.subject)
    expect(mail!.text).to.equal(MAIL.text)
    expect(mail!.html).to.equal(false)
    expect(mail!.from!.value[0]!.address).to.equal('owner@baoco.example')
    expect([mail!.to].flat().map((to) => to!.text)).to.deep.equal([MAIL.to])
    expect(mail!.messageId).to.match(/^<baoco-\d+-\d+@pay\.example>$/)
    await eventually(async () => (await outbox.list()).length === 0)
    const [row] = await database.query<{ body: string }>('SELECT body FROM ops.outbox')
    expect(row!.body, 'links that open accounts are not kept').to.equal('')
  })

  it('goes to nobody if its address is two with a comma between them', async () => {
    const recipients: string[] = []
    server = await startMailServer({
      onRcptTo: ({ address }, _session, done) => (recipients.push(address), done()),
    })
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send({ ...MAIL, to: 'stranger@example.com,chu.shop@example.com' })
    await eventually(() => logged.length === 1)
    expect([recipients, logged[0]!.fields.is_final], 'refused as one address').to.deep.equal([[], true])
  })

  it('is sent at once by the process that adds it, before the next check of the table', async () => {
    server = await startMailServer()
    // More than it takes at a time.
    for (let number = 0; number < 11; number++) await outbox.send(MAIL)
    await post(`smtp://127.0.0.1:${server.port}`, outbox, Infinity)
    await eventually(() => logged.length === 11)
    await outbox.send(MAIL)
    await eventually(() => server!.mails.length === 12)
  })

  it('waits while the mail server is down, and is sent when it is up again', async () => {
    const { port, close } = await startMailServer()
    await close()
    await post(`smtp://127.0.0.1:${port}`)
    await outbox.send(MAIL)
    await eventually(() => logged.some(({ what }) => what === 'mail.failed'))
    expect(logged[0]!.fields).to.include({ tries: 1, is_final: false, code: 'ESOCKET' })
    expect(await outbox.list()).to.have.length(1)
    server = await startMailServer({}, port)
    await eventually(async () => {
      await dueNow()
      return server!.mails.length === 1
    })
    expect(JSON.stringify(logged)).to.not.include(MAIL.to).and.not.include('liên kết')
  })

  it('is retried after growing pauses', async () => {
    const { port, close } = await startMailServer()
    await close()
    await outbox.send(MAIL)
    const secondsOf = async (time: 'due_at' | 'clock_timestamp()'): Promise<number> => {
      const rows = await database.query<{ at: number }>(
        `SELECT extract(epoch FROM ${time})::float8 AS at FROM ops.outbox`,
      )
      return rows[0]!.at
    }
    const pauses: { inSeconds: number | null; least: number; most: number }[] = []
    const failed: Outbox['failed'] = async (id, inSeconds) => {
      const before = await secondsOf('clock_timestamp()')
      await outbox.failed(id, inSeconds)
      const [due, after] = [await secondsOf('due_at'), await secondsOf('clock_timestamp()')]
      pauses.push({ inSeconds, least: due - after, most: due - before })
    }
    await post(`smtp://127.0.0.1:${port}`, { ...outbox, failed })
    for (let tries = 1; tries <= 3; tries++) {
      await eventually(() => pauses.length >= tries)
      await dueNow()
    }
    await database.query('UPDATE ops.outbox SET tries = 100')
    await eventually(async () => {
      await dueNow()
      return pauses.at(-1)!.inSeconds === 600
    })
    expect(pauses.slice(0, 3).map(({ inSeconds }) => inSeconds)).to.deep.equal([2, 4, 8])
    for (const { inSeconds, least, most } of pauses.slice(0, 3))
      expect(inSeconds, 'the pause in the database').to.be.within(least, most)
  })

  it('is sent at once after the clock of the database was ahead, but not if it was refused or was taken just now', async () => {
    await outbox.send(MAIL)
    await database.query(
      "UPDATE ops.outbox SET created_at = now() + interval '7 hours', due_at = now() + interval '7 hours'",
    )
    const [{ id } = { id: 0 }] = await outbox.take(10)
    expect(id).to.be.above(0)
    expect(await outbox.take(10)).to.deep.equal([])
    await outbox.failed(id, 600)
    expect(await outbox.take(10)).to.deep.equal([])
    await outbox.failed(id, null)
    expect(await outbox.take(10)).to.deep.equal([])
  })

  it('is retried for a day, in which times when nothing ran do not count', async () => {
    const age = (days: number) =>
      database.query('UPDATE ops.outbox SET due_at = now(), created_at = now() - make_interval(days => $1)', [days])
    const taken = async () => (await outbox.take(10)).length
    await outbox.send(MAIL)
    await age(3)
    expect(await taken()).to.equal(0)
    await database.query(`INSERT INTO ops.delivery_gap VALUES (now() - interval '70 hours', now() - interval '1 hour')`)
    try {
      expect(await taken(), 'after a weekend').to.equal(1)
      await age(4)
      expect(await taken()).to.equal(0)
      await database.query(`UPDATE ops.delivery_gap SET began_at = now() - interval '20 days'`)
      await age(8)
      expect(await taken(), 'that would have been deleted').to.equal(0)
    } finally {
      await database.query('TRUNCATE ops.delivery_gap')
    }
  })

  it('is sent by another process if the process that took it disappears', async () => {
    await outbox.send(MAIL)
    const [taken] = await outbox.take(10)
    expect(await outbox.take(10), 'it is in its hands').to.deep.equal([])
    server = await startMailServer()
    await post(`smtp://127.0.0.1:${server.port}`)
    await dueNow()
    await eventually(() => server!.mails.length === 1)
    // The same for each attempt.
    expect(server.mails[0]!.messageId).to.equal(`<baoco-${taken!.id}-${Date.parse(taken!.created_at)}@pay.example>`)
  })

  it('is taken oldest first, and without a wait for another process that takes one', async () => {
    for (const minutes of [3, 1, 2])
      await database.query(
        `INSERT INTO ops.outbox (recipient, subject, body, due_at) VALUES ('a@b.vn', $1, '', now() - make_interval(mins => $2))`,
        [String(minutes), minutes],
      )
    const subjects = (mails: readonly { subject: string }[]) => mails.map(({ subject }) => subject)
    await database.transaction(async (session) => {
      await session.query("SELECT 1 FROM ops.outbox WHERE subject = '3' FOR UPDATE")
      expect(subjects(await outbox.take(1))).to.deep.equal(['2'])
    })
    const [third] = await outbox.take(1)
    expect(third!.subject).to.equal('3')
    await outbox.failed(third!.id, null)
    await outbox.sent((await outbox.take(1))[0]!.id)
    expect(subjects(await outbox.list())).to.have.members(['2', '3'])
  })

  it('does not delay the shutdown of a process if the mail server does not answer', async () => {
    server = await startMailServer({ onMailFrom: () => {} })
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(async () => (await database.query('SELECT 1 FROM ops.outbox WHERE tries = 1')).length === 1)
    const began = performance.now()
    await stops.shift()!()
    expect(performance.now() - began).to.be.below(8_000)
    expect(await outbox.list()).to.have.length(1)
  })

  it('that is being sent when a process stops is finished', async () => {
    let answer: (() => void) | undefined
    server = await startMailServer({ onMailFrom: (_address, _session, done) => (answer = done) })
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(() => answer !== undefined)
    const stopped = stops.shift()!()
    answer!()
    await stopped
    expect(await outbox.list()).to.deep.equal([])
  })

  it('waits while the database is away, and is sent when it is back', async () => {
    server = await startMailServer()
    const away = new Set(['take', 'sent'])
    const unlessAway = <Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
      away.delete(name) ? Promise.reject(new Error('away')) : work()
    await outbox.send(MAIL)
    await post(`smtp://127.0.0.1:${server.port}`, {
      ...outbox,
      take: (most) => unlessAway('take', () => outbox.take(most)),
      sent: (id) => unlessAway('sent', () => outbox.sent(id)),
    })
    await eventually(() => logged.length === 2)
    expect(logged.map(({ what }) => what)).to.deep.equal(['mail.outbox_unavailable', 'mail.outbox_unavailable'])
    await dueNow()
    await eventually(async () => (await outbox.list()).length === 0)
  })

  it('is sent once if several processes send, and if the same key is sent again', async () => {
    server = await startMailServer()
    const url = `smtp://127.0.0.1:${server.port}`
    for (let number = 0; number < 3; number++) await post(url, openOutbox(database))
    for (let number = 0; number < 30; number++) await outbox.send({ ...MAIL, key: `mail ${number % 15}` })
    await eventually(async () => (await outbox.list()).length === 0)
    await outbox.send({ ...MAIL, key: 'mail 0' })
    await dueNow()
    expect(await outbox.take(10)).to.deep.equal([])
    expect(await outbox.list()).to.deep.equal([])
    expect(server.mails).to.have.length(15)
  })

  it('is not retried after a permanent refusal by the server', async () => {
    server = await startMailServer({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
    })
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(() => logged.length === 1)
    expect(logged[0]!.fields).to.include({ is_final: true, response_code: 550 })
    await eventually(async () => {
      const [row] = await database.query<{ never: boolean }>("SELECT due_at = 'infinity' AS never FROM ops.outbox")
      return row!.never
    })
  })

  it('is retried after a refusal by the server that is not permanent', async () => {
    let refusals = 0
    server = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(refusals++ === 0 ? Object.assign(new Error('greylisted'), { responseCode: 450 }) : undefined),
    })
    await post(`smtp://127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(() => logged.length === 1)
    expect(logged[0]!.fields).to.include({ is_final: false, response_code: 450 })
    await eventually(async () => {
      await dueNow()
      return server!.mails.length === 1
    })
  })

  it('sends no password without TLS to another machine', async () => {
    const logins: unknown[] = []
    server = await startMailServer({
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => (logins.push(username), done(null, { user: username })),
    })
    // Not known as this machine.
    const address = `0.0.0.0:${server.port}`
    await post(`smtp://shop:password@${address}`)
    await outbox.send(MAIL)
    await eventually(() => logged.length === 1)
    expect(logged[0]!.fields).to.include({ is_final: false, code: 'ETLS' })
    await stops.shift()!()
    await post(`smtp://${address}`)
    await dueNow()
    await eventually(() => server!.mails.length === 1)
    expect(logins).to.deep.equal([])
  })

  it('logs in with the credentials in the URL, and uses the sender in it', async () => {
    server = await startMailServer({
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'shop@example.com' && password === 'p@ss:word/1'
          ? done(null, { user: username })
          : done(new Error('no')),
    })
    await post(`smtp://shop%40example.com:p%40ss%3Aword%2F1@127.0.0.1:${server.port}`)
    await outbox.send(MAIL)
    await eventually(() => server!.senders.length === 1)
    expect(server.senders).to.deep.equal(['shop@example.com'])
    await post(`smtp://shop%40example.com:p%40ss%3Aword%2F1@127.0.0.1:${server.port}?from=Baoco%20%3Cno-reply@x.vn%3E`)
    await stops.shift()!()
    await outbox.send(MAIL)
    await eventually(() => server!.senders.length === 2)
    expect(server.senders[1]).to.equal('no-reply@x.vn')
  })

  it('uses TLS, and never goes to a server that cannot prove its name', async () => {
    for (const [scheme, secure] of [
      ['smtps', true],
      ['smtp', false],
    ] as const) {
      const own = await startMailServer({ key: KEY, cert: CERTIFICATE, secure })
      const before = logged.length
      await post(`${scheme}://127.0.0.1:${own.port}`)
      await outbox.send(MAIL)
      await eventually(() => logged.length > before)
      expect(logged.at(-1)!.fields, scheme).to.include({ is_final: false, code: 'ESOCKET' })
      expect(own.mails).to.deep.equal([])
      for (const stop of stops.splice(0)) await stop()
      await database.query('DELETE FROM ops.outbox')
      await own.close()
    }
  })

  it('is listed until it is sent, and swept after a week', async () => {
    await outbox.send({ ...MAIL, to: 'old@example.com' })
    await database.query("UPDATE ops.outbox SET created_at = now() - interval '8 days'")
    await outbox.send(MAIL)
    const [newest, old] = await outbox.list()
    expect(newest).to.have.all.keys('id', 'to', 'subject', 'text', 'created_at', 'tries')
    expect(newest).to.include(MAIL)
    expect(old).to.include({ to: 'old@example.com' })
    expect(await outbox.take(10), 'an old mail is not sent').to.have.length(1)
    const sweep = sweepOutbox(database)
    expect(await sweep.run(new AbortController().signal)).to.deep.equal({ swept: 1 })
    expect(await sweep.run(new AbortController().signal)).to.equal(null)
    expect((await outbox.list()).map(({ to }) => to)).to.deep.equal([MAIL.to])
    await database.query(
      "INSERT INTO ops.outbox (recipient, subject, body) SELECT 'many@example.com', number::text, '' FROM generate_series(1, 501) number",
    )
    const newest500 = await outbox.list()
    expect([newest500.length, newest500[0]!.subject]).to.deep.equal([500, '501'])
  })
})
