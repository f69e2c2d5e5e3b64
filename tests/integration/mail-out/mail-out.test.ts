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

  const post = async (url: string, from: Outbox = outbox) => {
    const stopping = new AbortController()
    const line = (fields: object, what: string) => void logged.push({ what, fields: fields as Record<string, unknown> })
    const running = postMails(
      {
        outbox: from,
        server: await openMailServer(url, 'owner@baoco.example'),
        host: 'pay.example',
        log: { debug: line, info: line, warn: line, error: line },
        lookEvery: 50,
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

  it('is sent by another process if the process that took it disappears', async () => {
    await outbox.send(MAIL)
    expect(await outbox.take(10)).to.have.length(1)
    expect(await outbox.take(10), 'it is in its hands').to.deep.equal([])
    server = await startMailServer()
    await post(`smtp://127.0.0.1:${server.port}`)
    await dueNow()
    await eventually(() => server!.mails.length === 1)
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

  it('is sent once if several processes send, and if the same key is sent again', async () => {
    server = await startMailServer()
    const url = `smtp://127.0.0.1:${server.port}`
    for (let number = 0; number < 3; number++) await post(url, openOutbox(database))
    for (let number = 0; number < 30; number++) await outbox.send({ ...MAIL, key: `mail ${number % 15}` })
    await eventually(async () => (await outbox.list()).length === 0)
    await outbox.send({ ...MAIL, key: 'mail 0' })
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
    expect(await outbox.take(10), 'what is old is news no more').to.have.length(1)
    const sweep = sweepOutbox(database)
    expect(await sweep.run(new AbortController().signal)).to.deep.equal({ swept: 1 })
    expect(await sweep.run(new AbortController().signal)).to.equal(null)
    expect((await outbox.list()).map(({ to }) => to)).to.deep.equal([MAIL.to])
  })
})
