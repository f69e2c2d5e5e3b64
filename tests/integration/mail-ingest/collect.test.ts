import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import type { AccountEvent } from '../../../domain/account/events.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { accountFacts } from '../../harness/accounts.ts'
import { AUTHSERV_ID, timoMail } from '../../harness/bank-mails.ts'
import { needsDovecot } from '../../harness/dovecot/install.ts'
import { PASSWORD, startDovecot, type Dovecot } from '../../harness/dovecot/server.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { mailAccountOf, startCollector, type CollectorProcess } from './collecting.ts'

const WAIT = { within: 60_000 }

/** In one process. */
const MAILBOXES = repetitions(300, 60)

interface Listed {
  order_id: string | null
  source_type: string
  webhook_status: string
}

/** Before every account of these tests. A server that reports 1970 reports no date, so such a mail is taken. */
const LONG_AGO = new Date('2020-01-01T00:00:00Z')

describe('mail ingest', function () {
  needsDovecot()
  this.timeout(400_000)
  let dovecot: Dovecot
  let api: ApiUnderTest
  let key: string
  const collectors: CollectorProcess[] = []

  let serial = 0
  const connected: number[] = []

  before(async () => {
    ;[dovecot, api] = await Promise.all([startDovecot(), openApi({}, 'real')])
  })
  after(async () => {
    await dovecot?.remove()
    await api?.close()
  })
  beforeEach(async () => {
    key = (await api.newAccount(`shop${++serial}@example.com`, 'Pro')).api_key
    await api.ask('POST', '/api/systems', { key, json: { name: 'S', type: 'custom', payment_prefix: 'DH' } })
  })
  afterEach(async () => {
    await Promise.all(collectors.splice(0).map((each) => each.stop()))
    for (const id of connected.splice(0)) await api.ask('DELETE', `/api/mail-accounts/${id}`, { key })
  })

  const collector = async (): Promise<CollectorProcess> => {
    const started = await startCollector(api)
    collectors.push(started)
    return started
  }
  const connect = async (user: string, more: object = {}): Promise<number> => {
    const { status, body } = await api.ask('POST', '/api/mail-accounts', {
      key,
      json: mailAccountOf(dovecot, user, more),
    })
    expect(status, JSON.stringify(body)).to.equal(201)
    connected.push(body.data.id as number)
    return body.data.id as number
  }
  const transactions = async (): Promise<Listed[]> =>
    (await api.ask('GET', '/api/transactions', { key })).body.data as Listed[]
  const orders = async (): Promise<string[]> => (await transactions()).map(({ order_id }) => order_id ?? '').sort()
  const untilOrders = (expected: string[]) =>
    eventually(async () => JSON.stringify(await orders()) === JSON.stringify(expected), {
      ...WAIT,
      what: `transactions ${expected.join()}`,
    })
  const mailAccount = async (id: number) => (await api.ask('GET', `/api/mail-accounts/${id}`, { key })).body.data
  /** Stops the server, until the collector of this mailbox has lost its connection. */
  const untilStopped = async (id: number): Promise<void> => {
    await dovecot.stop()
    await eventually(async () => /refuses|closed/.test((await mailAccount(id)).last_error as string), WAIT)
  }
  const to = (user: string) => ({ to: `${user}@mailbox.example` })

  it('turns a new mail into a transaction, and does not fetch mails from before the account', async () => {
    const user = 'new-mail'
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)), new Date(Date.now() - 60_000))
    const id = await connect(user)
    await collector()
    await dovecot.deliver(user, timoMail(2, 'DH1002', to(user)))
    await untilOrders(['DH1002'])
    expect((await transactions())[0]).to.include({ source_type: 'email' })
    expect((await mailAccount(id)).last_message_at).to.be.a('string')
  })

  it('takes a mail that comes after the account, although the clock of its server is behind', async () => {
    const user = 'clock-behind'
    const id = await connect(user)
    await collector()
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    await untilOrders(['DH1001'])
    await dovecot.deliver(user, timoMail(2, 'DH1002', to(user)), new Date(Date.now() - 7 * HOUR_MS))
    await dovecot.deliver(user, timoMail(3, 'DH1003', to(user)), new Date(Date.now() - DAY_MS))
    await dovecot.deliver(user, timoMail(4, 'DH1004', to(user)))
    await untilOrders(['DH1001', 'DH1002', 'DH1004'])
    await untilStopped(id)
    await dovecot.deliver(user, timoMail(5, 'DH1005', to(user)), new Date(Date.now() - 7 * HOUR_MS))
    await dovecot.start()
    await untilOrders(['DH1001', 'DH1002', 'DH1004', 'DH1005'])
  })

  it('takes the mails of an account that was dated by a clock that was days ahead', async () => {
    const user = 'clock-ahead'
    api.clock.at = new Date(Date.now() + 9 * DAY_MS)
    await connect(user).finally(() => (api.clock.at = null))
    await collector()
    let number = 0
    const isTaken = async () => {
      await dovecot.deliver(user, timoMail(++number, `DH100${number}`, to(user)))
      return (await orders()).length > 0
    }
    await eventually(isTaken, WAIT)
  })

  it('continues with a server after it stopped and started again', async () => {
    const user = 'restarted'
    const restored = 'restored'
    const id = await connect(user)
    await connect(restored)
    await collector()
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    for (const number of [3, 4]) await dovecot.deliver(restored, timoMail(number, `DH100${number}`, to(restored)))
    await untilOrders(['DH1001', 'DH1003', 'DH1004'])
    await untilStopped(id)
    await dovecot.deliver(user, timoMail(2, 'DH1002', to(user)))
    // A mailbox that was restored without its mails begins anew.
    await dovecot.empty(restored)
    await dovecot.deliver(restored, timoMail(5, 'DH1005', to(restored)))
    await dovecot.start()
    await untilOrders(['DH1001', 'DH1002', 'DH1003', 'DH1004', 'DH1005'])
    await eventually(async () => (await mailAccount(id)).last_error === null, WAIT)
  })

  it('reads a renumbered mailbox by date, and recognises mails that were already read', async () => {
    const user = 'renumbered'
    await connect(user)
    const first = await collector()
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    await untilOrders(['DH1001'])
    await first.stop()
    collectors.splice(0)
    await dovecot.renumber(user)
    await dovecot.deliver(user, timoMail(2, 'DH1002', to(user)))
    const second = await collector()
    await untilOrders(['DH1001', 'DH1002'])
    expect(second.taken()).to.equal(2)
  })

  it('recovers a lost position by date', async () => {
    const user = 'forgotten'
    await connect(user)
    const first = await collector()
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    await untilOrders(['DH1001'])
    await first.stop()
    collectors.splice(0)
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    await database.query('TRUNCATE ops.mailbox')
    await database.close()
    const second = await collector()
    await eventually(() => second.taken() === 1, WAIT)
    await untilOrders(['DH1001'])
  })

  it('does not list mails without a transaction again when it reads them again, and confuses no other mail with them', async () => {
    const user = 'listed-once'
    await connect(user)
    const first = await collector()
    const minute = (number: number) => new Date(Date.UTC(2026, 2, 10, 5, number))
    /** A genuine mail of the bank that cannot be parsed. */
    const unread = (number: number, messageId: string, text = `Tài khoản ${number} có biến động lạ`): string => {
      const [head] = timoMail(number, '', { ...to(user), messageId, at: minute(number) }).split('\r\n\r\n')
      return `${head}\r\n\r\n${Buffer.from(`<p>${text}</p>`).toString('base64')}\r\n`
    }
    const real = timoMail(9, 'DH1009', { ...to(user), messageId: '<9@timo.vn>' })
    await dovecot.deliver(user, unread(1, '<1@timo.vn>'))
    await dovecot.deliver(user, unread(2, ''))
    await dovecot.deliver(user, timoMail(3, 'DH1003', { ...to(user), results: '' }))
    await dovecot.deliver(user, timoMail(4, 'DH1004', { ...to(user), results: '', messageId: '' }))
    // An exact copy by a forger, without the proof.
    await dovecot.deliver(user, real.replace(/^Authentication-Results:.*\r\n/, ''))
    const listed = async (query = '') =>
      (await api.ask('GET', `/api/notifications${query}`, { key })).body.data as { id: number; reason: string | null }[]
    await eventually(async () => (await listed()).length === 5, WAIT)
    const before = await listed()
    expect(before.map(({ reason }) => reason).sort()).to.deep.equal([
      'unauthenticated_sender',
      'unauthenticated_sender',
      'unauthenticated_sender',
      'unparsed',
      'unparsed',
    ])
    await first.stop()
    collectors.splice(0)

    await dovecot.renumber(user)
    await dovecot.deliver(user, real)
    // Different mails with known Message-IDs, or without one.
    await dovecot.deliver(user, unread(1, '<1@timo.vn>', 'Tài khoản 1 có biến động khác'))
    await dovecot.deliver(user, unread(2, '', 'Tài khoản 2 có biến động khác'))
    const second = await collector()
    await untilOrders(['DH1009'])
    await eventually(() => second.taken() === 8, WAIT)
    await eventually(async () => (await listed()).length === 8, WAIT)
    const ids = new Set((await listed()).map(({ id }) => id))
    expect(before.every(({ id }) => ids.has(id))).to.equal(true)
    await second.stop()
    collectors.splice(0)

    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    await database.query('TRUNCATE ops.mailbox')
    await database.close()
    const third = await collector()
    await eventually(() => third.taken() === 8, WAIT)
    await dovecot.deliver(user, timoMail(10, 'DH1010', to(user)))
    await untilOrders(['DH1009', 'DH1010'])
    const after = (await listed()).map(({ id }) => id)
    expect(after).to.have.lengthOf(9)
    expect([...ids].every((id) => after.includes(id))).to.equal(true)
  })

  it('reports a wrong password to the owner, and uses a corrected one at once', async () => {
    const user = 'mistyped'
    const id = await connect(user, { password: 'not the password' })
    await collector()
    await eventually(async () => /password/.test((await mailAccount(id)).last_error as string), WAIT)
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    const { password } = mailAccountOf(dovecot, user) as { password: string }
    await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json: { password } })
    await untilOrders(['DH1001'])
    expect((await mailAccount(id)).last_error).to.equal(null)
  })

  it('shares the mailboxes between two processes, and takes every mail once', async () => {
    const users = ['shared-1', 'shared-2', 'shared-3', 'shared-4']
    for (const user of users) await connect(user)
    const [one, other] = [await collector(), await collector()]
    await eventually(() => one.held() + other.held() === users.length, WAIT)
    for (const [n, user] of users.entries()) await dovecot.deliver(user, timoMail(n, `DH200${n}`, to(user)))
    const all = users.map((_, n) => `DH200${n}`)
    await untilOrders(all)
    await one.stop()
    for (const [n, user] of users.entries()) await dovecot.deliver(user, timoMail(10 + n, `DH300${n}`, to(user)))
    await untilOrders([...all, ...users.map((_, n) => `DH300${n}`)])
    expect(one.taken() + other.taken()).to.equal(2 * users.length)
    collectors.splice(0, 1)
  })

  it('continues after huge, malformed or empty mails', async () => {
    const user = 'odd'
    await connect(user)
    await collector()
    const huge = timoMail(1, 'DH1001', to(user)).replace('\r\n\r\n', `\r\nX-Filler: ${'x'.repeat(900)}\r\n\r\n`)
    await dovecot.deliver(user, `${huge}${'eHh4'.repeat(700_000)}`)
    await dovecot.deliver(user, 'no mail at all')
    await dovecot.deliver(
      user,
      `From: x\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n'.repeat(20_000)}`,
    )
    await dovecot.deliver(user, timoMail(2, 'DH1002', to(user)))
    await eventually(async () => (await orders()).includes('DH1002'), WAIT)
  })

  it('lists forged mails as ignored, and private mails without their text', async () => {
    const user = 'forged'
    await connect(user)
    await collector()
    await dovecot.deliver(user, timoMail(1, 'DH1001', { ...to(user), results: '' }))
    await dovecot.deliver(user, timoMail(2, 'DH1002', { ...to(user), from: '"Timo" <timo@friend.example>' }))
    const ignored = async () =>
      (await api.ask('GET', '/api/notifications?status=ignored&include_raw=1', { key })).body.data as {
        reason: string
        text: string | null
      }[]
    await eventually(async () => (await ignored()).length === 2, WAIT)
    const found = await ignored()
    expect(found.map(({ reason }) => reason)).to.deep.equal(['unauthenticated_sender', 'unauthenticated_sender'])
    expect(found.filter(({ text }) => text === null)).to.have.length(1)
    expect(await orders()).to.deep.equal([])
  })

  it('tests an account: returns the id of its provider, or the error', async () => {
    const user = 'tried'
    const id = await connect(user)
    const test = async () => (await api.ask('POST', `/api/mail-accounts/${id}/test`, { key })).body
    expect(await test()).to.deep.equal({ success: true, authserv_id: null })
    await dovecot.deliver(user, timoMail(1, 'DH1001', to(user)))
    expect(await test()).to.deep.equal({ success: true, authserv_id: 'mx.mailbox.example' })
    await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json: { folder: 'Bank' } })
    expect(await test()).to.deep.equal({ success: false, error: 'The mailbox has no folder Bank.' })
    const moved = { port: 1, password: PASSWORD }
    await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json: moved })
    expect(await test()).to.deep.equal({ success: false, error: 'The server refuses the connection.' })
    await api.ask('PUT', `/api/mail-accounts/${id}`, { key, json: { ...moved, port: dovecot.securePort, tls: true } })
    expect((await test()).error).to.match(/certificate/)
  })

  // The last one, because its mailboxes stay.
  it(`collects ${MAILBOXES} mailboxes in one process, renewed together`, async () => {
    const sealed_password = openVault(['ab'.repeat(32)]).seal(PASSWORD)
    const at = new Date().toISOString()
    const accounts = Array.from({ length: MAILBOXES / 10 }, (_, n) => 1_000_000 + n)
    const mailboxes = accounts.flatMap((user_id) => Array.from({ length: 10 }, (_, n) => ({ user_id, box: n })))
    const name = ({ user_id, box }: { user_id: number; box: number }) => `many-${user_id}-${box}`
    await Promise.all(mailboxes.map((each) => dovecot.deliver(name(each), 'From: x\r\n\r\nold', LONG_AGO)))
    const results = await api.store.append(
      accounts.map((user_id) => {
        const facts: AccountEvent[] = [
          accountFacts(user_id)[0]!,
          ...mailboxes
            .filter((each) => each.user_id === user_id)
            .map((each): AccountEvent => {
              const user = name(each)
              return {
                type: 'MailAccountAdded',
                data: {
                  user_id, mail_account_id: user_id * 10 + each.box, email: `${user}@mailbox.example`, host: '127.0.0.1',
                  port: dovecot.port, tls: false, username: user, folder: 'INBOX', is_active: 1, authserv_id: AUTHSERV_ID,
                  sealed_password, created_at: at,
                },
              } // prettier-ignore
            }),
        ]
        const occasion = { user_id, at: new Date(), correlation_id: 'test', causation_id: 'test' }
        return [{ stream: `account-${user_id}`, expectedRevision: -1, events: stamp(facts, occasion) }]
      }),
    )
    expect(results.every(({ ok }) => ok)).to.equal(true)
    const one = await collector()
    await eventually(() => one.held() === MAILBOXES, WAIT)
    await Promise.all(mailboxes.map((each, n) => dovecot.deliver(name(each), timoMail(n, `DH${n}`, to(name(each))))))
    // With so many new mails, Dovecot may check for some of them only every half minute.
    await eventually(() => one.taken() >= MAILBOXES, { within: 240_000 })
    expect(one.taken()).to.equal(MAILBOXES)
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    const captured = () =>
      database.query<{ count: number }>('SELECT count(*) FROM read_model.transaction WHERE user_id >= 1000000')
    await eventually(async () => (await captured())[0]!.count === MAILBOXES, WAIT)
    await database.close()
  })
})
