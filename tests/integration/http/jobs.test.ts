import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openFailedTransactions } from '../../../projections/job/queries.ts'
import { runJobs, type FailedTransactions } from '../../../workflows/jobs/bulk-retry.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

describe('a bulk retry as a job', () => {
  let api: ApiUnderTest
  let database: Database
  let key: string
  let rule: number
  let user: number
  let stopping: AbortController
  let runs: Promise<void>[]
  beforeEach(async () => {
    api = await openApi()
    database = openDatabase(api.databaseUrl)
    stopping = new AbortController()
    runs = []
    const mine = await api.newAccount('jobs@example.com')
    user = mine.user_id
    key = mine.api_key
    rule = (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url: 'https://s.example/' } })).body.data
      .id
  })
  afterEach(async () => {
    stopping.abort()
    await Promise.all(runs)
    await database.close()
    await api.close()
  })

  const failed = async (count: number, given: object = {}): Promise<number[]> => {
    const ids: number[] = []
    for (let number = 0; number < count; number++) {
      const id = await api.nextId()
      await api.happened(user, id, [
        captured(user, id, { rules: [rule], webhook_status: 'pending', ...given }),
        attempted(id, { attempt_id: await api.nextId(), rule_id: rule }),
        statusChanged(id, 'pending', 'failed'),
      ])
      ids.push(id)
    }
    return ids
  }
  const run = (transactions: Partial<FailedTransactions> = {}, signal = stopping.signal) => {
    const { store, accounts, clock } = api
    const parts = { store, accounts, clock, transactions: { ...openFailedTransactions(database), ...transactions } }
    const running = runJobs(parts, () => {}, signal)
    runs.push(running)
    return running
  }
  const begin = async (json: object) => (await api.ask('POST', '/api/webhooks/bulk-retry', { key, json })).body
  const show = async (id: number, as = key) => api.ask('GET', `/api/jobs/${id}`, { key: as })
  const untilDone = (id: number) =>
    eventually(async () => {
      const { data } = (await show(id)).body
      return data.status === 'done' ? data : null
    })
  const statusOf = async (id: number) =>
    (await api.ask('GET', `/api/transactions/${id}`, { key })).body.data.webhook_status

  it('retries all transactions that match the filter, however many and however old, and no others', async () => {
    const old = new Date(Date.now() - 30 * 86_400_000).toISOString()
    const meant = await failed(120, { bank_code: 'MB', created_at: old })
    const others = await failed(3)
    expect(await begin({ filter: { bank_code: 'mb' }, dry_run: true })).to.deep.equal({
      success: true,
      count: 120,
      job_id: null,
    })
    const { job_id, ...answer } = await begin({ filter: { bank_code: 'MB' } })
    expect(answer).to.deep.equal({ success: true, count: 120 })
    expect((await show(job_id)).body.data).to.deep.equal({
      id: job_id,
      status: 'running',
      total: 120,
      done: 0,
      failed: 0,
    })
    void run()
    expect(await untilDone(job_id)).to.deep.equal({ id: job_id, status: 'done', total: 120, done: 120, failed: 0 })
    for (const id of [meant[0]!, meant[60]!, meant[119]!]) expect(await statusOf(id)).to.equal('pending')
    for (const id of others) expect(await statusOf(id)).to.equal('failed')
    const [row] = await database.query<{ lane: string }>('SELECT DISTINCT lane FROM read_model.delivery WHERE transaction_id = ANY ($1)', [meant]) // prettier-ignore
    expect(row!.lane).to.equal('bulk')
    expect((await api.ask('DELETE', `/api/jobs/${job_id}`, { key })).status).to.equal(409)
  })

  it('continues where another process was killed, even in the middle of a page', async () => {
    const all = await failed(105)
    const { job_id } = await begin({ filter: {} })
    const killed = new AbortController()
    let asked = 0
    const real = openFailedTransactions(database)
    const dying = run(
      {
        between: async (...args) => {
          const found = await real.between(...args)
          // The second query reads the content of the first page. The process dies after it has retried half of it.
          if (++asked < 2) return found
          killed.abort()
          if (asked > 2) throw new Error('nothing more comes of it')
          return found.slice(0, 50)
        },
      },
      killed.signal,
    )
    await dying
    void run()
    expect(await untilDone(job_id)).to.include({ total: 105, done: 105 })
    for (const id of all) expect(await statusOf(id)).to.equal('pending')
    const requests = (await api.store.read(all.map((id) => ({ stream: `transaction-${id}` })))).map(
      (events) => events.filter(({ type }) => type === 'WebhookRetryRequested').length,
    )
    expect(new Set(requests)).to.deep.equal(new Set([1]))
  })

  it('does nothing more once it is cancelled, and leaves the transactions to the next job', async () => {
    const all = await failed(2)
    const { job_id } = await begin({ dry_run: false })
    const { status, body } = await api.ask('DELETE', `/api/jobs/${job_id}`, { key })
    expect([status, body.data.status]).to.deep.equal([200, 'cancelled'])
    expect((await api.ask('DELETE', `/api/jobs/${job_id}`, { key })).status).to.equal(200)
    const next = (await begin({ filter: { rule_id: rule } })).job_id
    void run()
    await untilDone(next)
    expect((await show(job_id)).body.data).to.include({ status: 'cancelled', done: 0 })
    for (const id of all) expect(await statusOf(id)).to.equal('pending')
  })

  it('is not accessible to other users', async () => {
    const { job_id } = await begin({ filter: {} })
    const { api_key } = api.owner
    expect((await show(job_id, api_key)).status).to.equal(404)
    expect((await api.ask('DELETE', `/api/jobs/${job_id}`, { key: api_key })).status).to.equal(404)
    expect((await show(999_999)).status).to.equal(404)
    expect((await begin({ filter: { colour: 'red' } })).issues[0].path).to.equal('filter.colour')
  })

  it('is not started by a call without a filter', async () => {
    await failed(1)
    expect(await begin({})).to.deep.equal({ success: true, count: 1 })
  })
})
