import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { transactionStream, type TransactionEvent } from '../../../domain/transaction/events.ts'
import { openRetriedTransactions } from '../../../projections/job/queries.ts'
import { createJob, MOST_RUNNING, runJobs, type RetriedTransactions } from '../../../workflows/jobs/bulk-retry.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

/** The stream of a transaction and its events. */
type History = readonly [string, readonly TransactionEvent[]]

describe('a bulk retry as a job', () => {
  let api: ApiUnderTest
  let key: string
  let rule: number
  let user: number
  let stopping: AbortController
  let runs: Promise<void>[]
  beforeEach(async () => {
    api = await openApi()
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
    await api.close()
  })

  const failed = async (count: number, given: object = {}, of = user): Promise<number[]> => {
    const ids = await api.nextIds(count)
    await api.happenedTo(of, await Promise.all(ids.map((id) => failure(id, given, of))))
    return ids
  }
  const failure = async (id: number, given: object, of: number): Promise<History> => [
    transactionStream(id),
    [
      captured(of, id, { rules: [rule], webhook_status: 'pending', ...given }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule }),
      statusChanged(id, 'pending', 'failed'),
    ],
  ]
  /** A transaction with an attempt for each of the rules. */
  const sent = async (rules: number[], outcome: 'delivered' | 'retrying', created_at: string): Promise<number> => {
    const id = await api.nextId()
    await api.happenedTo(user, [await sending(id, rules, outcome, created_at)])
    return id
  }
  const sending = async (
    id: number,
    rules: number[],
    outcome: 'delivered' | 'retrying',
    created_at: string,
  ): Promise<History> => {
    const isDelivered = outcome === 'delivered'
    const next_attempt_at = isDelivered ? null : new Date(Date.now() + 3_600_000).toISOString()
    const attempts = rules.map(async (rule_id) =>
      attempted(id, { attempt_id: await api.nextId(), rule_id, outcome, next_attempt_at }),
    )
    return [
      transactionStream(id),
      [
        captured(user, id, { rules, webhook_status: 'pending', created_at }),
        ...(await Promise.all(attempts)),
        ...(isDelivered ? [statusChanged(id, 'pending', 'success')] : []),
      ],
    ]
  }
  /** The rules for which a call is due now, in the lane of bulk retries. */
  const dueRules = async (id: number): Promise<number[]> =>
    (
      await api.database.query<{ rule_id: number }>(
        `SELECT rule_id FROM read_model.delivery WHERE transaction_id = $1 AND status = 'open' AND lane = 'bulk' AND due_at <= now()`,
        [id],
      )
    ).map(({ rule_id }) => rule_id)
  const run = (transactions: Partial<RetriedTransactions> = {}, signal = stopping.signal) => {
    const { store, accounts, clock } = api
    const parts = {
      store,
      accounts,
      clock,
      transactions: { ...openRetriedTransactions(api.database), ...transactions },
    }
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
    const [row] = await api.database.query<{ lane: string }>(
      'SELECT DISTINCT lane FROM read_model.delivery WHERE transaction_id = ANY ($1)',
      [meant],
    )
    expect(row!.lane).to.equal('bulk')
    expect((await api.ask('DELETE', `/api/jobs/${job_id}`, { key })).status).to.equal(409)
  })

  it('continues where another process was killed, even in the middle of a page', async () => {
    const all = await failed(105)
    const { job_id } = await begin({ filter: {} })
    const killed = new AbortController()
    let asked = 0
    const real = openRetriedTransactions(api.database)
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

  it('pauses after each page for longer than the page took', async () => {
    await failed(1)
    const retried = openRetriedTransactions(api.database)
    const reads: { began: number; ended: number }[] = []
    const { job_id } = await begin({ filter: {} })
    void run({
      between: async (...given) => {
        const began = performance.now()
        const found = await retried.between(...given)
        await pause(100)
        reads.push({ began, ended: performance.now() })
        return found
      },
    })
    await untilDone(job_id)
    const pauses = reads.slice(1).map(({ began }, index) => began - reads[index]!.ended)
    expect(Math.max(...pauses)).to.be.at.least(250)
  })

  it('sends waiting transactions now and succeeded ones again, only of the given rule and days', async () => {
    const json = { name: 'other', url: 'https://other.example/' }
    const other = (await api.ask('POST', '/api/webhooks', { key, json })).body.data.id
    const filter = { date_from: '2026-03-10', date_to: '2026-03-11', rule_id: rule }
    // The first moment of the days in Vietnam, the last one, and the one after it.
    const [first, last, after] = ['2026-03-09T17:00:00.000Z', '2026-03-11T16:59:59.999Z', '2026-03-11T17:00:00.000Z'] as const
    void run()
    for (const [status, outcome] of [['pending', 'retrying'], ['success', 'delivered']] as const) {
      const meant = [await sent([rule, other], outcome, last), await sent([rule], outcome, first)]
      const others = [await sent([rule], outcome, after), await sent([other], outcome, first)]
      expect(await begin({ filter: { ...filter, status }, dry_run: true }), status).to.include({ count: 2 })
      const { job_id } = await begin({ filter: { ...filter, status } })
      expect(await untilDone(job_id), status).to.include({ total: 2, done: 2, failed: 0 })
      for (const id of meant) expect([await statusOf(id), await dueRules(id)], status).to.deep.equal(['pending', [rule]])
      for (const id of others) expect(await dueRules(id), status).to.deep.equal([])
    }
  }) // prettier-ignore

  it('retries what failed only for the given rule, even if the transaction failed at another one too', async () => {
    const [other, third] = await Promise.all(
      ['other', 'third'].map(async (name): Promise<number> => {
        const json = { name, url: `https://${name}.example/` }
        return (await api.ask('POST', '/api/webhooks', { key, json })).body.data.id
      }),
    )
    const histories = [
      [rule, other!],
      [rule, other!, third!],
    ].map(async (rules): Promise<[number, History]> => {
      const id = await api.nextId()
      const attempts = [rule, other!].map(async (rule_id) => attempted(id, { attempt_id: await api.nextId(), rule_id }))
      const ended = rules.includes(third!) ? [] : [statusChanged(id, 'pending', 'failed')]
      const events = [
        captured(user, id, { rules, webhook_status: 'pending' }),
        ...(await Promise.all(attempts)),
        ...ended,
      ]
      return [id, [transactionStream(id), events]]
    })
    const both = await Promise.all(histories)
    await api.happenedTo(
      user,
      both.map(([, history]) => history),
    )
    const { job_id } = await begin({ filter: { rule_id: rule } })
    void run()
    expect(await untilDone(job_id)).to.include({ total: 2, done: 2, failed: 0 })
    for (const [id] of both) expect([await statusOf(id), await dueRules(id)]).to.deep.equal(['pending', [rule]])
  })

  it('retries a failed delivery while another webhook waits, in the order of the captures, and leaves the other one waiting', async () => {
    const json = { name: 'other', url: 'https://other.example/' }
    const other = (await api.ask('POST', '/api/webhooks', { key, json })).body.data.id
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const half = async (id: number): Promise<History> => [
      transactionStream(id),
      [
        captured(user, id, { rules: [rule, other], webhook_status: 'pending' }),
        attempted(id, { attempt_id: await api.nextId(), rule_id: rule }),
        attempted(id, { attempt_id: await api.nextId(), rule_id: other, outcome: 'retrying', next_attempt_at: later }),
      ],
    ]
    const meant: number[] = []
    const waiting: number[] = []
    const histories: History[] = []
    for (let number = 0; number < 55; number++) {
      const [whole = 0, alone = 0, both = 0] = await api.nextIds(3)
      histories.push(await failure(whole, {}, user))
      histories.push(await sending(alone, [other], 'retrying', new Date().toISOString()))
      histories.push(await half(both))
      meant.push(whole, both)
      waiting.push(alone)
    }
    await api.happenedTo(user, histories)
    for (const id of waiting) expect(await dueRules(id)).to.deep.equal([])
    const { job_id } = await begin({ filter: {} })
    const pages: number[][] = []
    const { between } = openRetriedTransactions(api.database)
    void run({
      between: async (...args) => {
        const found = await between(...args)
        pages.push(found.map(({ id }) => id))
        return found
      },
    })
    expect(await untilDone(job_id)).to.include({ total: 110, done: 110, failed: 0 })
    expect(pages[0]).to.deep.equal(meant.slice(0, 100))
    for (const id of [meant[0]!, meant[1]!, meant[108]!, meant[109]!]) {
      expect([await statusOf(id), await dueRules(id)]).to.deep.equal(['pending', [rule]])
    }
  })

  it('sends nothing twice after a crash, even transactions that succeeded again in between', async () => {
    const id = await sent([rule], 'delivered', '2026-03-10T05:00:00.000Z')
    const { job_id } = await begin({ filter: { status: 'success' } })
    const killed = new AbortController()
    const real = openRetriedTransactions(api.database)
    let asked = 0
    const dying = run(
      {
        between: async (...args) => {
          // The third query comes after the page, and before its end is recorded.
          if (++asked < 3) return real.between(...args)
          killed.abort()
          throw new Error('the process dies')
        },
      },
      killed.signal,
    )
    await dying
    await api.happened(user, id, [
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule, attempt: 2, outcome: 'delivered' }),
      statusChanged(id, 'pending', 'success'),
    ])
    void run()
    expect(await untilDone(job_id)).to.include({ done: 1, failed: 0 })
    expect(await statusOf(id)).to.equal('success')
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
    const [events] = await api.store.read([{ stream: `job-${job_id}` }])
    expect(events!.map(({ type }) => type)).not.to.include('JobCancelled')
    expect((await show(999_999)).status).to.equal(404)
    expect((await begin({ filter: { colour: 'red' } })).issues[0].path).to.equal('filter.colour')
  })

  /** Jobs as an earlier version accepted them: any number for each account. */
  const many = async (userId: number, count: number) => {
    const occasion = { user_id: userId, at: new Date(), correlation_id: 'test', causation_id: 'test' }
    const parts = {
      store: api.store,
      ids: { next: (number: number) => api.nextIds(number) },
      transactions: { runningOf: async () => 0 },
    }
    await failed(1, {}, userId)
    const found = await openRetriedTransactions(api.database).count(userId, {})
    const created = Array.from({ length: count }, () => createJob(parts, occasion, {}, found))
    for (const { checkpoint } of await Promise.all(created)) await api.shown(checkpoint!)
  }

  it('of a locked account do not stop those of other accounts, and continue once it is unlocked', async () => {
    const { user_id } = await api.newAccount('locked@example.com')
    await many(user_id, 101)
    await api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'requests_per_hour' } })
    const [id] = await failed(1)
    const { job_id } = await begin({ filter: {} })
    void run()
    expect(await untilDone(job_id)).to.include({ done: 1 })
    expect(await statusOf(id!)).to.equal('pending')
    const running = () =>
      api.database.query("SELECT FROM read_model.job WHERE user_id = $1 AND status = 'running'", [user_id])
    expect(await running()).to.have.lengthOf(101)
    await api.decree(user_id, { type: 'AccountUnlocked', data: { user_id } })
    // They end one after another, and pause for three times as long as each page takes.
    await eventually(async () => (await running()).length === 0, { within: 200_000, what: 'the unlocked jobs' })
  })

  it('are continued in turns by account', async () => {
    const { user_id } = await api.newAccount('many@example.com')
    await many(user_id, 101)
    await failed(1)
    const { job_id } = await begin({ filter: {} })
    const turns = await openRetriedTransactions(api.database).runningJobs()
    expect(turns).to.have.lengthOf(100)
    expect(turns.indexOf(job_id)).to.equal(1)
  })

  it('are refused while an account has the maximum number running', async () => {
    await failed(1)
    const jobs: number[] = []
    for (let number = 0; number < MOST_RUNNING; number++) jobs.push((await begin({ filter: {} })).job_id)
    const refused = await api.ask('POST', '/api/webhooks/bulk-retry', { key, json: { filter: {} } })
    expect([refused.status, refused.body.error]).to.deep.equal([409, 'CONFLICT'])
    expect(await begin({ filter: {}, dry_run: true })).to.include({ count: 1 })
    expect(await begin({})).to.deep.equal({ success: true, count: 1 })
    await api.ask('DELETE', `/api/jobs/${jobs[0]!}`, { key })
    expect(await begin({ filter: {} })).to.include({ success: true })
  })

  it('is not started by a call without a filter', async () => {
    await failed(1)
    expect(await begin({})).to.deep.equal({ success: true, count: 1 })
  })
})
