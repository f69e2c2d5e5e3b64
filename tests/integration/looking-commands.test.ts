/** Tests `baoco history`, `audit`, `export`, `tail` and `account delete` as the operator types them, while an API runs. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { openDeletions } from '../../adapters/postgres/ops/deletions.ts'
import type { FreshAccount } from '../../workflows/accounts/registration.ts'
import { commandAsProcess, commandInProcess } from '../harness/command-in-process.ts'
import { eventually } from '../harness/eventually.ts'
import { runInProcess } from '../harness/run-in-process.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { openApi, type ApiUnderTest } from './http/api-under-test.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

describe('commands that inspect data, and account delete', () => {
  let api: ApiUnderTest
  let shop: FreshAccount
  let id: number

  const env = () => ({
    PATH: process.env.PATH ?? '',
    DATABASE_URL: api.databaseUrl,
    JWT_SECRET: 'j'.repeat(32),
    VAULT_KEY: 'ab'.repeat(32),
  })
  const baoco = (...args: string[]) => commandInProcess(args, env())
  /** As a process of its own. */
  const start = (args: string[]) => spawn(process.execPath, [BAOCO, ...args], { env: env() })
  let posted = 0
  const pay = async ({ receive_token }: FreshAccount, memo: string): Promise<number> => {
    const { body } = await api.ask('POST', fromVietcombank(`/api/receive/u/${receive_token}`), {
      body: vietcombankText(++posted, memo),
    })
    return (body as { data: { id: number } }).data.id
  }
  const list = async (key: string) => (await api.ask('GET', '/api/transactions?include_raw=1', { key })).body

  before(async () => {
    api = await openApi({}, 'real')
    shop = await api.newAccount('shop@example.com')
    const rule = { name: 'shop', url: 'http://127.0.0.1:9/hook?key=secret' }
    await api.ask('POST', '/api/systems', {
      key: shop.api_key,
      json: { name: 'S', type: 'custom', payment_prefix: 'DH' },
    })
    await api.ask('POST', '/api/webhooks', { key: shop.api_key, json: rule })
    id = await pay(shop, 'DH77 =cmd')
    await eventually(async () => (await list(shop.api_key)).total === 1)
  })
  after(() => api.close())

  const attempted = async (attempt: number, account_revision: number) => {
    const [{ id: rule_id }] = (await api.ask('GET', '/api/webhooks', { key: shop.api_key })).body.data
    const at = new Date().toISOString()
    await api.happened(shop.user_id, id, [
      {
        type: 'WebhookAttempted',
        data: {
          transaction_id: id, attempt_id: await api.nextId(), rule_id, attempt, method: 'POST', account_revision,
          url: 'http://127.0.0.1:9/hook?key=secret', timestamp: 1, body_sha256: 'x', renderer: 1, http_status: 500,
          response_body: 'secret answer', error: null, sent_at: at, duration_ms: 12, outcome: 'retrying', next_attempt_at: at,
        },
      },
    ]) // prettier-ignore
  }

  /** As the operator's page shows it. */
  const lastAudit = async () => {
    const { audit } = (await api.ask('GET', '/api/operator/status', { key: api.owner.api_key })).body.data
    expect(Date.now() - Date.parse(audit.ended_at)).to.be.lessThan(120_000)
    return audit
  }

  it('audit --since-last checks everything if there was no audit yet', async () => {
    const { status, stdout } = await baoco('audit', '--since-last')
    expect(status, stdout).to.equal(0)
    expect(stdout).to.match(
      /^there is no earlier audit to continue: everything is checked\n\d+ events, 1 transaction: no faults\n$/,
    )
    const { ended_at, whole_at } = await lastAudit()
    expect(whole_at).to.equal(ended_at)
  })

  it('audit finds no fault in a correct store', async () => {
    const { status, stdout, stderr } = await baoco('audit')
    expect([status, stderr], stdout).to.deep.equal([0, ''])
    expect(stdout).to.match(/^\d+ events, 1 transaction: no faults\n$/)
    expect(await lastAudit()).to.include({ events: parseInt(stdout), transactions: 1, faults: 0 })
  })

  it('audit --since-last checks what was stored since the last audit', async () => {
    const { whole_at, ended_at, events } = await lastAudit()
    expect(whole_at).to.equal(ended_at)
    const { status, stdout } = await baoco('audit', '--since-last')
    expect([status, stdout]).to.deep.equal([0, stdout])
    expect(stdout).to.match(/^\d+ events, \d transactions? since 20\S+Z: no faults\n$/)
    expect(stdout).to.contain(ended_at)
    const now = await lastAudit()
    expect(now).to.include({ whole_at, faults: 0, events: parseInt(stdout) })
    expect(Date.parse(now.ended_at)).to.be.greaterThan(Date.parse(ended_at))
    expect(now.events).to.be.lessThan(events)
  })

  it('audit --since-last checks everything if the store does not contain the position of the last audit', async () => {
    await api.database.query('UPDATE ops.audit SET event_id = gen_random_uuid()')
    const { status, stdout } = await baoco('audit', '--since-last')
    expect(status, stdout).to.equal(0)
    expect(stdout).to.match(/^the store does not contain the position of the last audit: everything is checked\n/)
    const { whole_at, ended_at } = await lastAudit()
    expect(whole_at).to.equal(ended_at)
  })

  it('history prints the history of a transaction without personal data', async () => {
    await attempted(1, 3)
    const { status, stdout } = await baoco('history', String(id))
    expect(status).to.equal(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).to.match(/^20\S+Z {2}captured from sms: VCB credit [\d.]+ VND, order DH77, rule \d+$/)
    expect(lines[1]).to.match(
      /attempt 1 for rule \d+: POST http:\/\/127.0.0.1:9\/#[0-9a-f]{6}, answered 500 in 12 ms; retrying, next/,
    )
    expect(stdout).to.not.contain('secret')
    expect(await baoco('history', '999999')).to.deep.include({
      status: 1,
      stderr: 'baoco: no such transaction: 999999\n',
    })
    expect((await runInProcess('history', 'x')).status).to.equal(2)
  })

  it('export prints the transactions of a user, with formulas made harmless', async () => {
    const [row] = (await list(shop.api_key)).data
    const jsonl = await baoco('export', '--user', 'shop@example.com', '--format', 'jsonl')
    expect(JSON.parse(jsonl.stdout)).to.include({
      id,
      order_id: 'DH77',
      amount: row.amount,
      description: row.description,
    })
    const csv = await baoco('export', '--user', 'SHOP@example.com', '--format', 'csv')
    const [head, line] = csv.stdout.split('\r\n')
    expect(head).to.match(/^id,user_id,source_type,/)
    expect(line).to.contain(`${id},${shop.user_id},sms,VCB`)
    const chosen = ['--columns', 'date,money_in', '--language', 'vi', '--month']
    const ofMonth = async (month: string) =>
      (await baoco('export', '--user', 'shop@example.com', '--format', 'csv', ...chosen, month)).stdout
    expect(await ofMonth('2020-01')).to.equal('Ngày,Tiền vào\r\n')
    const xlsx = await baoco('export', '--user', 'shop@example.com', '--format', 'xlsx')
    expect(xlsx.stdout.slice(0, 2)).to.equal('PK')
    expect(
      (await runInProcess('export', '--user', 'shop@example.com', '--format', 'csv', '--columns', 'x')).status,
    ).to.equal(2)
    expect(
      (await runInProcess('export', '--user', 'shop@example.com', '--format', 'csv', '--month', '11')).status,
    ).to.equal(2)
    expect((await baoco('export', '--user', 'nobody@example.com', '--format', 'csv')).status).to.equal(1)
    expect((await runInProcess('export', '--user', 'shop@example.com', '--format', 'xml')).status).to.equal(2)
    expect((await runInProcess('export', '--format', 'csv')).status).to.equal(2)
  })

  it('export ends without a word if its reader has closed the pipe, as head does', async () => {
    const child = start(['export', '--user', 'shop@example.com', '--format', 'jsonl'])
    child.stdout.destroy()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    expect([await text(child.stderr), await ended]).to.deep.equal(['', 0])
  })

  it('audit and history end as processes of their own', async () => {
    for (const [args, printed] of [
      [['audit'], /: no faults\n$/],
      [['history', String(id)], /captured from sms: VCB/],
    ] as const) {
      const { status, stdout, stderr } = await commandAsProcess(args, env())
      expect([status, stderr]).to.deep.equal([0, ''])
      expect(stdout).to.match(printed)
    }
  })

  it('tail prints stored events, with personal data only on request', async () => {
    const plain = start(['tail', '--all'])
    const whole = start(['tail', '--personal-data'])
    let [printed, printedWhole] = ['', '']
    plain.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
    whole.stdout.setEncoding('utf8').on('data', (part: string) => (printedWhole += part))
    await eventually(() => printed.includes('TransactionCaptured'), { within: 60_000 })
    await eventually(
      async () => {
        await pay(shop, 'khong co don')
        return printedWhole.includes('khong co don')
      },
      { within: 60_000 },
    )
    await eventually(() => printed.split('TransactionCaptured').length > 2)
    expect(printed).to.not.match(/khong co don|secret|password_hash|example\.com/)
    const ended = [plain, whole].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of [plain, whole]) child.kill('SIGINT')
    expect(await Promise.all(ended)).to.deep.equal([0, 0])
  })

  it('account delete removes an account with all its data and frees its email address', async () => {
    const gone = await api.newAccount('gone@example.com')
    await pay(gone, 'DH9')
    await api.ask('POST', `/api/receive/u/${gone.receive_token}`, { body: 'Ma OTP cua ban la 123456' })
    expect((await runInProcess('account', 'delete', 'gone@example.com')).status).to.equal(2)
    expect((await api.ask('GET', '/api/account', { key: gone.api_key })).status).to.equal(200)
    const { token } = (
      await api.ask('POST', '/api/auth/login', {
        json: { email: 'gone@example.com', password: 'correct horse battery staple' },
      })
    ).body

    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    await database.query('CREATE SCHEMA search_model_next CREATE TABLE left_by_a_killed_replay (text text)')
    const { status, stdout, stderr } = await baoco('account', 'delete', 'gone@example.com', '--yes')
    const [copy] = await database.query<{ exists: boolean }>(
      "SELECT to_regnamespace('search_model_next') IS NOT NULL AS exists",
    )
    expect(await openDeletions(database).all()).to.deep.equal([])
    await database.close()
    expect(copy!.exists, 'a copy of the rows').to.equal(false)
    expect([status, stderr]).to.deep.equal([0, ''])
    expect(stdout).to.match(/^gone@example.com is deleted, with 1 transaction and [2-9] other streams of events\n$/)
    for (const headers of [{ 'x-api-key': gone.api_key }, { authorization: `Bearer ${token}` }])
      expect((await api.ask('GET', '/api/account', { headers })).status).to.equal(401)
    expect((await api.ask('POST', `/api/receive/u/${gone.receive_token}`, { body: 'x' })).status).to.equal(401)

    const left = (await api.store.readAll(null, 10_000)).filter(({ metadata }) => metadata.user_id === gone.user_id)
    expect(new Set(left.map(({ type }) => type))).to.have.all.keys(
      'AccountDeleted',
      'TransactionDeleted',
      'StreamErased',
      'EmailReleased',
    )
    expect(JSON.stringify(left)).to.not.match(/gone@example|DH9|hash|sealed/)
    await eventually(async () => (await baoco('account', 'list')).stdout.includes('gone@') === false)
    const empty = await baoco('export', '--user', 'gone@example.com', '--format', 'jsonl')
    expect(empty).to.deep.include({ status: 1, stdout: '' })
    expect((await list(shop.api_key)).total).to.be.at.least(2)

    const others = await Promise.all([
      baoco('account', 'create', 'gone@example.com', '--plan', 'Free'),
      baoco('account', 'delete', 'owner@baoco.local', '--yes'),
      baoco('account', 'delete', 'nobody@example.com', '--yes'),
    ])
    expect(others.map((one) => one.status)).to.deep.equal([0, 1, 1])
    const [verified, audited] = await Promise.all([baoco('replay', '--verify'), baoco('audit')])
    expect([verified.status, audited.status], verified.stdout + audited.stdout).to.deep.equal([0, 0])
  })

  it('audit names each fault and exits with 1', async () => {
    await attempted(3, 4_000)
    const stream = `transaction-${await api.nextId()}`
    const metadata = { user_id: 1, at: new Date().toISOString(), correlation_id: 'x', causation_id: 'x', version: 1 }
    await api.store.append([
      [{ stream: 'odd', expectedRevision: -1, events: [{ id: randomUUID(), type: 'Odd', data: {}, metadata }] }],
      [
        {
          stream,
          expectedRevision: -1,
          events: [{ id: randomUUID(), type: 'TransactionCaptured', data: { transaction_id: 10 ** 9 }, metadata }],
        },
      ],
    ])
    const { status, stdout } = await baoco('audit')
    expect(status).to.equal(1)
    expect(stdout).to.match(new RegExp(`^transaction-${id}: attempt 2 for rule \\d+ is missing$`, 'm'))
    expect(stdout).to.match(/^odd@0: this release does not know the event Odd; its stream is parked$/m)
    expect(stdout).to.match(/^transaction-\d+@0: TransactionCaptured does not match its schema/m)
    expect(stdout).to.match(/^account-\d+: attempts name its revision 4000, which is not there$/m)
    expect((await lastAudit()).faults).to.equal(stdout.trimEnd().split('\n').length - 1)
    expect(stdout).to.match(/^ids: 1000000000 is used, and only ids up to \d+ are given out$/m)
  })

  it('audit --since-last does not hide the faults that earlier audits found', async () => {
    const { whole_at, faults } = await lastAudit()
    const { status, stdout } = await baoco('audit', '--since-last')
    expect(status).to.equal(1)
    // The read models may have parked a stream since.
    const refused = stdout.split('parked in the read models').length - 1
    const before = Number(/^audits before it found (\d+) faults?; baoco audit without --since-last/m.exec(stdout)?.[1])
    expect(before)
      .to.be.within(faults - refused, faults)
      .and.greaterThan(4)
    expect(await lastAudit()).to.include({ faults: before + refused, whole_at })
    const metadata = { user_id: 1, at: new Date().toISOString(), correlation_id: 'x', causation_id: 'x', version: 1 }
    const events = [{ id: randomUUID(), type: 'Odd', data: {}, metadata }]
    await api.store.append([[{ stream: 'odd2', expectedRevision: -1, events }]])
    const next = await baoco('audit', '--since-last')
    expect(next.stdout).to.match(/^odd2@0: this release does not know the event Odd/m)
    expect(next.stdout).to.not.match(/^odd@0/m)
    expect((await lastAudit()).faults).to.equal(before + refused + 1)
    // An audit of everything counts anew.
    const whole = await baoco('audit')
    const now = await lastAudit()
    expect(now.faults).to.equal(whole.stdout.trimEnd().split('\n').length - 1)
    expect(now.whole_at).to.equal(now.ended_at)
  })
})
