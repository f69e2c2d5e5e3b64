/** A mail that its server never returns must not stop its mailbox, and must not be lost silently. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { startImapServer, type ImapServer, type Refusal } from '../../attack/imap-server.ts'
import { AUTHSERV_ID, timoMail } from '../../harness/bank-mails.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { startCollector, type CollectorProcess } from './collecting.ts'

const WAIT = { within: 60_000 }
/** The eight minutes become five seconds. */
const PATIENCE = 0.01

interface Listed {
  reason: string
  text: string | null
  source_type: string
}

describe('a mail that its server does not return', () => {
  let api: ApiUnderTest
  let key: string
  let server: ImapServer
  let collector: CollectorProcess
  let path: string
  let skipped: number[]
  let serial = 0

  before(async () => (api = await openApi({}, 'real')))
  after(() => api?.close())
  beforeEach(async () => {
    key = (await api.newAccount(`shop${++serial}@example.com`, 'Pro')).api_key
    await api.ask('POST', '/api/systems', { key, json: { name: 'S', type: 'custom', payment_prefix: 'DH' } })
    server = await startImapServer()
    skipped = []
    const json = {
      email: 'shop@mailbox.example',
      host: '127.0.0.1',
      port: server.port,
      tls: false,
      username: 'shop',
      password: 'x',
      authserv_id: AUTHSERV_ID,
    }
    const { status, body } = await api.ask('POST', '/api/mail-accounts', { key, json })
    expect(status, JSON.stringify(body)).to.equal(201)
    path = `/api/mail-accounts/${body.data.id}`
    collector = await startCollector(api, PATIENCE, (uid) => skipped.push(uid))
  })
  afterEach(async () => {
    await collector.stop()
    server.close()
    await api.ask('DELETE', path, { key })
  })

  const deliver = (number: number) =>
    server.deliver(timoMail(number, `DH${1000 + number}`, { to: 'shop@mailbox.example' }))
  const orders = async (): Promise<string> =>
    ((await api.ask('GET', '/api/transactions', { key })).body.data as { order_id: string }[])
      .map(({ order_id }) => order_id)
      .sort()
      .join(' ')
  /** Asking the API costs much more than asking the collector, and most of these tests wait for seconds. */
  const untilTaken = (mails: number, wait = WAIT) =>
    eventually(() => collector.taken() >= mails, { ...wait, what: `${mails} mails that are taken` })
  const untilSkipped = () => eventually(() => skipped.length > 0, { ...WAIT, what: 'the skipped mail' })
  const untilOrders = (expected: string, wait = WAIT) =>
    eventually(async () => (await orders()) === expected, { ...wait, what: `the transactions ${expected}` })
  const ignored = async (): Promise<Listed[]> =>
    (await api.ask('GET', '/api/notifications?status=ignored&include_raw=1', { key })).body.data as Listed[]
  const lastError = async (): Promise<string | null> => (await api.ask('GET', path, { key })).body.data.last_error

  const refusals: Refusal[] = ['no', 'no, after the others', 'nothing', 'no body', 'nil', 'empty', 'breaks']
  for (const refusal of refusals)
    it(`(${refusal}) is skipped after several tries, and the list shows that; the mails beside it are read at once`, async () => {
      server.sabotage.refuses = (uid) => (uid === 3 ? refusal : undefined)
      for (const number of [1, 2, 3, 4, 5]) deliver(number)
      await untilTaken(4)
      await untilOrders('DH1001 DH1002 DH1004 DH1005')
      expect(skipped, 'taken before the mail is given up').to.deep.equal([])
      await untilSkipped()
      await eventually(async () => (await ignored()).length > 0, { ...WAIT, what: 'the record of the skipped mail' })
      const [record, ...others] = await ignored()
      expect(others).to.deep.equal([])
      expect(record).to.include({ reason: 'unreadable_mail', source_type: 'email' })
      expect(record!.text).to.match(/^UID 3, \d{4}-\d\d-\d\dT[\d:]+\.000Z, \d+ bytes$/)
      expect(skipped).to.deep.equal([3])
      const alert = await eventually(async () => {
        const { data } = (await api.ask('GET', '/api/alerts', { key })).body
        return (data as { kind: string; subject: string; text: string }[]).find(({ kind }) => kind === 'mail_skipped')
      })
      expect(alert.subject).to.equal(`mail_account:${path.split('/').at(-1)}`)
      expect(alert.text).to.include(record!.text!).and.include('shop@mailbox.example')
      deliver(6)
      await untilOrders('DH1001 DH1002 DH1004 DH1005 DH1006')
      expect(await lastError()).to.equal(null)
      expect(await ignored()).to.have.length(1)
    })

  it('is skipped even if the mail that was returned last is deleted meanwhile', async () => {
    server.sabotage.refuses = (uid) => (uid === 2 ? 'no' : undefined)
    for (const number of [1, 2, 3]) deliver(number)
    await untilOrders('DH1001 DH1003')
    server.remove(3)
    await untilSkipped()
    expect(skipped).to.deep.equal([2])
  })

  it('is read if the server returns it later, even with a date of arrival that cannot be true', async () => {
    server.sabotage.refuses = (uid) => (uid === 2 ? 'no' : undefined)
    for (const number of [1, 2, 3]) deliver(number)
    await untilOrders('DH1001 DH1003')
    server.sabotage.arrivedAt = '01-Jan-1970 00:00:00 +0000'
    server.sabotage.refuses = () => undefined
    await untilOrders('DH1001 DH1002 DH1003')
    expect(await ignored()).to.deep.equal([])
  })

  it('is tried again by the next process, which recognises the mails after it', async () => {
    await collector.stop()
    collector = await startCollector(api, 1)
    server.sabotage.refuses = (uid) => (uid === 2 ? 'breaks' : undefined)
    for (const number of [1, 2, 3, 4]) deliver(number)
    await untilOrders('DH1001 DH1003 DH1004')
    await collector.stop()
    server.sabotage.refuses = () => undefined
    collector = await startCollector(api, 1)
    await untilOrders('DH1001 DH1002 DH1003 DH1004')
  })

  it('costs about a login a minute while the server breaks each connection, however many mails wait', async () => {
    await collector.stop()
    // A minute is six seconds here.
    collector = await startCollector(api, 0.1)
    deliver(1)
    await untilOrders('DH1001')
    server.sabotage.refuses = () => 'breaks'
    const logins = () => server.received.filter((line) => / LOGIN |AUTHENTICATE/.test(line)).length
    // Each arrives alone, and is passed over.
    for (let number = 2; number <= 7; number++) {
      const before = logins()
      deliver(number)
      await eventually(() => logins() > before, WAIT)
    }
    await pause(6_000)
    const before = logins()
    await pause(12_000)
    expect(logins() - before).to.be.within(1, 4)
    server.sabotage.refuses = () => undefined
    await untilOrders('DH1001 DH1002 DH1003 DH1004 DH1005 DH1006 DH1007')
  })

  it('is not skipped while the server returns no mail at all', async () => {
    deliver(1)
    await untilOrders('DH1001')
    server.sabotage.refuses = () => 'no'
    for (const number of [2, 3]) deliver(number)
    await eventually(async () => (await lastError()) !== null, WAIT)
    const tries = () => server.received.filter((line) => / FETCH /.test(line)).length
    const before = tries()
    await eventually(() => tries() > before + 3, { ...WAIT, what: 'more tries' })
    expect([skipped, await ignored()]).to.deep.equal([[], []])
    expect(await lastError()).to.match(/It says: Internal error/)
    server.sabotage.refuses = () => undefined
    await untilOrders('DH1001 DH1002 DH1003')
    expect(await ignored()).to.deep.equal([])
    await eventually(async () => (await lastError()) === null, WAIT)
  })

  it('does not block the mails after it if many others were refused, and others are returned', async () => {
    server.sabotage.refuses = (uid) => (uid % 2 === 0 && uid <= 48 ? 'no' : undefined)
    for (let number = 1; number <= 51; number++) deliver(number)
    const taken = Array.from({ length: 51 }, (_, at) => at + 1).filter((uid) => uid % 2 === 1 || uid > 48)
    await untilTaken(taken.length, { within: 150_000 })
    await untilOrders(taken.map((number) => `DH${1000 + number}`).join(' '))
  })

  it('does not block the mails after it if the first ones are all refused, and costs no login for each', async () => {
    server.sabotage.refuses = (uid) => (uid <= 25 ? 'no' : undefined)
    for (let number = 1; number <= 26; number++) deliver(number)
    await untilTaken(1)
    await untilOrders('DH1026')
    expect(server.received.filter((line) => / LOGIN |AUTHENTICATE/.test(line)).length).to.be.below(12)
  })
})
