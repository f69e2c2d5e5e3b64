/** The statistics of an account, and what the operator sees of the installation. */
import { expect } from 'chai'
import { enter } from '../../../adapters/database/presence.ts'
import { VERSION } from '../../../adapters/system/version.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

describe('statistics', () => {
  let api: ApiUnderTest
  let key: string
  let user: number
  let rule: number
  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    user = api.owner.user_id
    const made = await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url: 'https://s.example/' } })
    rule = made.body.data.id
  })
  after(() => api.close())

  const stats = async (query: string, as = key) => (await api.ask('GET', `/api/stats?${query}`, { key: as })).body.data

  it('are grouped by Vietnamese day and bank, without copies, and by rule', async () => {
    const happened = async (given: Parameters<typeof captured>[2], ...more: ReturnType<typeof attempted>[]) => {
      const id = await api.nextId()
      await api.happened(user, id, [captured(user, id, given), ...more])
      return id
    }
    // 16:59 and 17:00 UTC are the last minute of a day in Vietnam and the first of the next.
    await happened({ transaction_date: '2026-03-10T16:59:00.000Z', amount: '100.00' })
    await happened({ transaction_date: '2026-03-10T17:00:00.000Z', amount: '0.10' })
    const first = await happened({ transaction_date: '2026-03-10T18:00:00.000Z', amount: '0.20' })
    await happened({ transaction_date: '2026-03-10T18:00:00.000Z', transaction_type: 'debit', amount: '50.00' })
    await happened({
      transaction_date: '2026-03-10T18:00:00.000Z',
      webhook_status: 'already_run',
      already_run_of: first,
    })
    const id = await api.nextId()
    await api.happened(user, id, [
      captured(user, id, { transaction_date: '2026-03-10T18:00:00.000Z', bank_code: 'ACB', rules: [rule], webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule, duration_ms: 300, outcome: 'retrying', error: 'http_503' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule, attempt: 2, duration_ms: 100, outcome: 'delivered', http_status: 200, error: null }),
      statusChanged(id, 'pending', 'success'),
    ]) // prettier-ignore
    const shared = { currency: 'VND', success: 0, failed: 0 }
    expect((await stats('from=2026-03-10&to=2026-03-11')).days).to.deep.equal([
      { ...shared, date: '2026-03-10', bank_code: 'VCB', credit: '100.00', debit: '0.00', count: 1 },
      { ...shared, date: '2026-03-11', bank_code: 'ACB', credit: '150000.00', debit: '0.00', count: 1, success: 1 },
      { ...shared, date: '2026-03-11', bank_code: 'VCB', credit: '0.30', debit: '50.00', count: 3 },
    ])
    const { rules } = await stats('')
    expect(rules).to.deep.equal([
      { id: rule, attempts: 2, success_rate: 0.5, p50_ms: 100, p95_ms: 300, last_error: 'http_503' },
    ])
  })

  it('accept every day that the lists accept', async () => {
    for (const [range, status] of [
      ['to=0001-01-01', 200],
      ['from=0001-01-01&to=0001-01-01', 200],
      ['from=0099-12-31&to=0100-01-01', 200],
      ['from=9999-12-31&to=9999-12-31', 200],
      ['from=0001-01-05', 400],
      ['from=0099-12-31', 400],
      ['from=0000-12-31', 400],
    ] as const) {
      const answer = await api.ask('GET', `/api/stats?${range}`, { key })
      expect(answer.status, range).to.equal(status)
      if (status === 200) expect(answer.body.data.days, range).to.deep.equal([])
      else expect(answer.body.issues[0].path, range).to.equal('from')
    }
  })

  it('count the attempts of each rule in the last hours', async () => {
    const hours = async (query: string) => (await api.ask('GET', `/api/stats/rules${query}`, { key })).body.data
    expect((await hours(''))[0]).to.deep.include({ id: rule, attempts: 2, success_rate: 0.5 })
    api.clock.at = new Date(Date.now() + 2 * 3_600_000)
    expect((await hours('?hours=3'))[0]).to.deep.include({ id: rule, attempts: 2 })
    expect((await hours('?hours=1'))[0]).to.deep.include({ id: rule, attempts: 0, success_rate: null })
    api.clock.at = null
    for (const bad of ['0', '169', 'x', '1.5', '-1'])
      expect((await api.ask('GET', `/api/stats/rules?hours=${bad}`, { key })).status, bad).to.equal(400)
  })

  describe('by hour', () => {
    const HOUR_MS = 3_600_000
    const NOW = new Date('2026-03-12T09:30:00.000Z')
    const ago = (ms: number) => new Date(NOW.getTime() - ms)
    let merchant: Awaited<ReturnType<ApiUnderTest['newAccount']>>
    let ids: number[]
    before(async () => {
      merchant = await api.newAccount('hours@example.com')
      const make = async (name: string): Promise<number> =>
        (await api.ask('POST', '/api/webhooks', { key: merchant.api_key, json: { name, url: 'https://s.example/' } }))
          .body.data.id
      ids = [await make('busy'), await make('new')]
    })
    afterEach(() => {
      api.clock.at = null
    })

    const byHour = async (as: string, hours: number) => {
      api.clock.at = NOW
      return (await api.ask('GET', `/api/stats/rules?hours=${hours}`, { key: as })).body.data
    }
    const countsOf = ({ hours }: { hours: { delivered: number | null; failed: number | null }[] }) =>
      hours.map(({ delivered, failed }) => [delivered, failed])

    it('have every hour of the range, which begin with its start', async () => {
      const happened = async (at: Date, outcomes: readonly ('delivered' | 'retrying' | 'exhausted')[]) => {
        api.clock.at = at
        const id = await api.nextId()
        const attempts = []
        for (const outcome of outcomes)
          attempts.push(attempted(id, { attempt_id: await api.nextId(), rule_id: ids[0]!, outcome }))
        await api.happened(merchant.user_id, id, [captured(merchant.user_id, id), ...attempts])
      }
      await happened(ago(4 * HOUR_MS + 1), ['delivered'])
      await happened(ago(4 * HOUR_MS), ['delivered', 'retrying'])
      await happened(ago(3 * HOUR_MS + 1), ['delivered'])
      await happened(ago(3 * HOUR_MS), ['exhausted'])
      await happened(ago(1), ['delivered'])
      await happened(NOW, ['delivered'])
      const [busy, unused] = await byHour(merchant.api_key, 4)
      expect(busy).to.include({ id: ids[0], attempts: 5, success_rate: 0.6 })
      expect(countsOf(busy)).to.deep.equal([
        [2, 1],
        [0, 1],
        [0, 0],
        [1, 0],
      ])
      expect(busy.hours.map(({ from }: { from: string }) => from)).to.deep.equal(
        [4, 3, 2, 1].map((hours) => ago(hours * HOUR_MS).toISOString()),
      )
      expect(unused).to.deep.include({ id: ids[1], attempts: 0, success_rate: null, last_error: null })
      expect(countsOf(unused)).to.deep.equal([
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ])
      expect(countsOf((await byHour(merchant.api_key, 24))[1])).to.deep.equal(Array(24).fill([0, 0]))
    })

    it('include no rule of another user', async () => {
      const rules = await byHour(key, 24)
      expect(rules.map(({ id }: { id: number }) => id)).to.deep.equal([rule])
      expect(countsOf(rules[0])).to.deep.equal(Array(24).fill([0, 0]))
    })

    it('do not report an hour as empty if it has too many attempts to be read', async () => {
      await api.database.query(
        `INSERT INTO read_model.attempt (id, transaction_id, rule_id, user_id, attempt, webhook_url, http_status, response_body,
           outcome, sent_at, duration_ms, created_at)
         SELECT 1000000000 + n, 1, $1, $2, 1, '', 200, '', 'delivered', $3, 10, $3::timestamptz - n * interval '500 milliseconds'
         FROM generate_series(1, 20000) n`,
        [ids[1], merchant.user_id, NOW.toISOString()],
      )
      const many = (await byHour(merchant.api_key, 4))[1]
      expect(many).to.include({ attempts: 10_000, success_rate: 1 })
      expect(countsOf(many)).to.deep.equal([
        [null, null],
        [null, null],
        [null, null],
        [7_200, 0],
      ])
    })
  })

  it('accept only a valid range of days', async () => {
    for (const bad of ['from=x', 'to=2026-02-30', 'from=2020-01-01&to=2026-01-01', 'from=2026-01-01&from=2026-01-02'])
      expect((await api.ask('GET', `/api/stats?${bad}`, { key })).status, bad).to.equal(400)
    expect(await stats('from=2026-03-11&to=2026-03-10')).to.deep.include({ days: [] })
  })

  it('are visible only to their owner', async () => {
    const stranger = await api.newAccount('stranger@example.com')
    expect(await stats('from=2026-03-10&to=2026-03-11', stranger.api_key)).to.deep.equal({ days: [], rules: [] })
  })

  it('of the installation are visible only to the operator', async () => {
    const customer = await api.newAccount('customer@example.com')
    await eventually(async () => {
      const { body } = await api.ask('GET', '/api/operator/accounts', { key })
      const emails = body.data.map(({ email }: { email: string }) => email)
      return emails.includes('owner@baoco.local') && emails.includes('customer@example.com')
    })
    const { body } = await api.ask('GET', '/api/operator/status', { key })
    expect(body.data).to.have.all.keys('lag', 'lanes', 'breakers', 'parked', 'overdue', 'processes', 'clocks', 'leases', 'mailboxes', 'versions', 'disk', 'audit') // prettier-ignore
    expect(body.data.lag.map(({ projector }: { projector: string }) => projector)).to.include('main')
    expect(body.data.versions.tables).to.match(/^\d{3}_/)
    expect(body.data.versions).to.include({ node: process.versions.node })
    expect(body.data.disk.database_bytes).to.be.greaterThan(1_000_000)
    expect(body.data.disk.free_bytes).to.equal(5_000_000_000)
    const onServer = { server: 'event_store', place: '/data', free_bytes: 7e9, size_bytes: 9e9 }
    expect(body.data.disk.servers).to.deep.equal([onServer])
    expect(body.data.disk.low).to.deep.equal([])
    expect(body.data.audit).to.equal(null)
    expect(body.data.disk.schemas.map(({ name }: { name: string }) => name)).to.include.members(['read_model', 'store'])
    for (const [caller, operator] of [
      [key, true],
      [customer.api_key, false],
    ] as const)
      expect((await api.ask('GET', '/api/account', { key: caller })).body.data.operator).to.equal(operator)
    for (const path of ['/api/operator/accounts', '/api/operator/status']) {
      expect((await api.ask('GET', path, { key: customer.api_key })).status).to.equal(404)
      expect((await api.ask('GET', path)).status).to.equal(401)
    }
  })

  it('of the installation list the accounts in pages', async () => {
    const list = async (asked = '') => (await api.ask('GET', `/api/operator/accounts${asked}`, { key })).body
    const { total: before } = await list()
    const email = "'page' || n || '@example.com'"
    // The projector of the process that runs does not touch them.
    await api.database.query(`INSERT INTO read_model.account (user_id, email, locked, operator, plan, revision)
      SELECT 1000000 + n, ${email}, false, false, 'Free', 0 FROM generate_series(1, 250) n`)
    const ids: number[] = []
    let cursor = ''
    for (let page = 1; page <= 3; page++) {
      const found = await list(cursor)
      expect(found).to.include({ total: before + 250, limit: 100 })
      expect(found.data.length).to.equal(page < 3 ? 100 : before + 50)
      expect((await list(`?page=${page}`)).data).to.deep.equal(found.data)
      ids.push(...found.data.map(({ id }: { id: number }) => id))
      cursor = `?cursor=${found.next_cursor}`
      expect(found.next_cursor === null).to.equal(page === 3)
    }
    expect(ids).to.have.length(before + 250)
    expect(ids).to.deep.equal([...new Set(ids)].toSorted((a, b) => a - b))
    expect((await list('?page=9')).data).to.deep.equal([])
    await api.database.query('DELETE FROM read_model.account WHERE user_id > 1000000')
  })

  it('of the installation name the running processes with their versions', async () => {
    const presence = await enter(api.database, 'deliver')
    const { processes } = (await api.ask('GET', '/api/operator/status', { key })).body.data
    await presence.leave()
    expect(processes).to.have.length(1)
    expect(processes[0]).to.have.all.keys('name', 'version', 'since', 'address')
    expect(processes[0]).to.include({ name: 'baoco (deliver)', version: VERSION })
  })

  it('of the installation name who holds which lease, and count mailboxes', async () => {
    await api.database.query(`INSERT INTO ops.lease (name, holder, expires_at, process) VALUES
      ('scheduled work', gen_random_uuid(), now() + interval '8 seconds', 'project on here'),
      ('mailbox 7', gen_random_uuid(), now() + interval '8 seconds', NULL)`)
    const { leases, mailboxes } = (await api.ask('GET', '/api/operator/status', { key })).body.data
    expect(leases.map(({ name, process }: { name: string; process: string }) => [name, process])).to.deep.equal([
      ['scheduled work', 'project on here'],
    ])
    expect(mailboxes).to.equal(1)
    await api.database.query('DELETE FROM ops.lease')
  })
})
