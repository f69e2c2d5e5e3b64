import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { undeliveredGroups } from '../../../projections/job/undelivered-queries.ts'
import { eventually } from '../../harness/eventually.ts'
import type { FreshAccount } from '../../../workflows/accounts/registration.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

const SOON = '2099-01-01T00:00:00.000Z'
/** Days in March 2026, at noon in Vietnam. */
const day = (date: number) => `2026-03-${String(date).padStart(2, '0')}T05:00:00.000Z`

describe('the list of undelivered transactions', () => {
  let api: ApiUnderTest
  let mine: FreshAccount
  let shop: number
  let books: number

  const addRule = async (name: string, more: object = {}): Promise<number> => {
    const json = { name, url: `https://${name}.example/`, ...more }
    return (await api.ask('POST', '/api/webhooks', { key: mine.api_key, json })).body.data.id
  }
  const ask = async (query = '') => (await api.ask('GET', `/api/undelivered${query}`, { key: mine.api_key })).body.data
  const begin = async (json: object) =>
    (await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key, json })).body

  /** A transaction, and the errors of the last attempt at each rule. `null`: no attempt. */
  const undelivered = async (created_at: string, status: 'failed' | 'pending', last: Record<number, string | null>) => {
    const id = await api.nextId()
    const rules = Object.keys(last).map(Number)
    const events = []
    for (const rule_id of rules) {
      if (last[rule_id] === null) continue
      const first = { rule_id, outcome: 'retrying', next_attempt_at: SOON, error: 'dns', http_status: 0 } as const
      events.push(attempted(id, { ...first, attempt_id: await api.nextId() }))
      const ending =
        status === 'failed'
          ? { outcome: 'exhausted' as const, next_attempt_at: null }
          : { outcome: 'retrying' as const }
      const error = last[rule_id]!
      events.push(attempted(id, { ...first, ...ending, attempt: 2, error, attempt_id: await api.nextId() }))
    }
    const base = captured(mine.user_id, id, { rules, webhook_status: 'pending', created_at })
    await api.happened(mine.user_id, id, [
      base,
      ...events,
      ...(status === 'failed' ? [statusChanged(id, 'pending', 'failed')] : []),
    ])
    return id
  }

  before(async () => {
    api = await openApi()
    mine = await api.newAccount('undelivered@example.com')
    shop = await addRule('shop')
    books = await addRule('books', { max_per_minute: 60 })
  })
  after(() => api.close())

  it('is grouped by rule, status and class of the last error, the group with the oldest first', async () => {
    expect(await ask()).to.deep.equal({ groups: [], complete: true })
    await undelivered(day(3), 'failed', { [shop]: 'timeout' })
    const oldest = await undelivered(day(1), 'failed', { [shop]: 'timeout', [books]: 'http_500' })
    const waiting = await undelivered(day(2), 'pending', { [shop]: 'timeout' })
    const untried = await undelivered(day(4), 'pending', { [books]: null })
    await undelivered(new Date().toISOString(), 'pending', { [shop]: null })
    const of = (rule_id: number, rule_name: string) => ({ rule_id, rule_name, estimated_seconds: 1 })
    const { groups, complete } = await ask()
    expect(complete).to.equal(true)
    expect(groups.slice(0, 2)).to.have.deep.members([
      { ...of(shop, 'shop'), status: 'failed', error: 'timeout', count: 2, oldest_at: day(1), oldest_transaction_id: oldest, next_attempt_at: null },
      { ...of(books, 'books'), status: 'failed', error: 'http_500', count: 1, oldest_at: day(1), oldest_transaction_id: oldest, next_attempt_at: null },
    ])
    expect(groups[2]).to.deep.equal({ ...of(shop, 'shop'), status: 'pending', error: 'timeout', count: 1, oldest_at: day(2), oldest_transaction_id: waiting, next_attempt_at: SOON })
    expect(groups[3]).to.include({ rule_id: books, status: 'pending', error: null, count: 1, oldest_transaction_id: untried })
    expect(groups).to.have.length(4)
  }) // prettier-ignore

  it('is filtered like a bulk retry, and counts what a bulk retry would send', async () => {
    const filter = { status: 'failed', rule_id: shop, error: 'timeout', date_to: '2026-03-01' }
    const query = Object.entries(filter).map(([name, value]) => `${name}=${value}`)
    expect((await ask(`?${query.join('&')}`)).groups.map(({ count }: { count: number }) => count)).to.deep.equal([1])
    expect(await begin({ filter, dry_run: true })).to.include({ count: 1 })
    expect(await begin({ filter: { ...filter, error: 'http_500' }, dry_run: true })).to.include({ count: 0 })
    expect(await begin({ filter: { status: 'pending', error: 'timeout' }, dry_run: true })).to.include({ count: 1 })
    expect((await ask('?status=pending&type=debit')).groups).to.deep.equal([])
    expect((await ask('?bank_code=vcb')).groups)
      .to.deep.equal((await ask()).groups)
      .and.not.to.deep.equal([])
    expect(await begin({ filter: { bank_code: 'vcb' }, dry_run: true })).to.include({ count: 2 })
    const wrong = await api.ask('GET', '/api/undelivered?status=success', { key: mine.api_key })
    expect([wrong.status, wrong.body.issues[0].path]).to.deep.equal([400, 'status'])
  })

  it('includes a failed delivery while another webhook of the same transaction waits, and a bulk retry sends it', async () => {
    const [gone, waits] = [await addRule('gone'), await addRule('waits')]
    const id = await api.nextId()
    const last = { error: 'http_404', http_status: 404 } as const
    await api.happened(mine.user_id, id, [
      captured(mine.user_id, id, { rules: [gone, waits], webhook_status: 'pending', created_at: day(5) }),
      attempted(id, { ...last, rule_id: gone, outcome: 'exhausted', next_attempt_at: null, attempt_id: await api.nextId() }),
      attempted(id, { ...last, rule_id: waits, outcome: 'retrying', next_attempt_at: SOON, attempt_id: await api.nextId() }),
    ])
    const groupsOf = async (rule: number, status = 'failed') => (await ask(`?status=${status}&rule_id=${rule}`)).groups
    const found = await ask()
    expect(found.groups.filter(({ error }: { error: string }) => error === 'http_404').map(({ rule_id, status }: { rule_id: number; status: string }) => [rule_id, status]))
      .to.deep.equal([[gone, 'failed'], [waits, 'pending']])
    expect(await groupsOf(gone)).to.deep.equal([
      { rule_id: gone, rule_name: 'gone', estimated_seconds: 1, status: 'failed', error: 'http_404', count: 1, oldest_at: day(5), oldest_transaction_id: id, next_attempt_at: null },
    ])
    for (const [rule, status] of [[gone, 'pending'], [waits, 'failed']] as const) expect(await groupsOf(rule, status)).to.deep.equal([])
    for (const filter of [{ rule_id: gone, error: 'http_404' }, { date_from: '2026-03-05', date_to: '2026-03-05' }])
      expect(await begin({ filter: { status: 'failed', ...filter }, dry_run: true })).to.include({ count: 1 })
    expect(await begin({ filter: { status: 'failed', rule_id: waits }, dry_run: true })).to.include({ count: 0 })
  }) // prettier-ignore

  it('includes nothing of a deleted webhook while another one waits, because a bulk retry would not change it', async () => {
    const [gone, waits] = [await addRule('deleted'), await addRule('still-waits')]
    const id = await api.nextId()
    const ofRule = async (rule_id: number) => ({
      rule_id,
      error: 'dns',
      http_status: 0,
      attempt_id: await api.nextId(),
    })
    await api.happened(mine.user_id, id, [
      captured(mine.user_id, id, { rules: [gone, waits], webhook_status: 'pending', created_at: day(6) }),
      attempted(id, { ...(await ofRule(gone)), outcome: 'exhausted', next_attempt_at: null }),
      attempted(id, { ...(await ofRule(waits)), outcome: 'retrying', next_attempt_at: SOON }),
    ])
    const counts = async () => {
      const { groups } = await ask(`?rule_id=${gone}`)
      const { count } = await begin({ filter: { status: 'failed', rule_id: gone }, dry_run: true })
      return [groups.length, count]
    }
    expect(await counts()).to.deep.equal([1, 1])
    await api.ask('DELETE', `/api/webhooks/${gone}`, { key: mine.api_key })
    expect(await counts()).to.deep.equal([0, 0])
  })

  it('is shown only to its owner', async () => {
    const { body } = await api.ask('GET', '/api/undelivered', { key: api.owner.api_key })
    expect(body.data.groups).to.deep.equal([])
  })

  describe('at size', () => {
    const MANY = 10_000
    const DELIVERED = 60_000
    let alone: Database
    before(async () => {
      alone = openDatabase(api.databaseUrl, { poolSize: 1 })
      // As the projector writes them: of 70,000 transactions the newest 10,000 failed at one of two rules.
      await alone.query(`INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency,
          description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
        SELECT 50000000 + n, ${mine.user_id}, 'VCB', 'Vietcombank', 'credit', 150000, 'VND', 'text', 'api', 'url',
          CASE WHEN n > ${DELIVERED} THEN 'failed' ELSE 'success' END, '{}', at, at, at
        FROM generate_series(1, ${DELIVERED + MANY}) n, LATERAL (SELECT timestamptz '2026-04-01Z' + n * interval '1 second' AS at) a`)
      await alone.query(`INSERT INTO read_model.delivery (transaction_id, rule_id, user_id, status, attempt, round_base, captured_at)
        SELECT 50000000 + n, (ARRAY[${shop}, ${books}])[1 + n % 2], ${mine.user_id},
          CASE WHEN n > ${DELIVERED} THEN 'failed' ELSE 'succeeded' END, 7, 0, now() FROM generate_series(1, ${DELIVERED + MANY}) n`)
      await alone.query(`INSERT INTO read_model.attempt (id, transaction_id, rule_id, user_id, attempt, webhook_url, http_status,
          response_body, outcome, error, sent_at, duration_ms, created_at)
        SELECT 60000000 + n * 7 + k, 50000000 + n, (ARRAY[${shop}, ${books}])[1 + n % 2], ${mine.user_id}, k, 'https://x.example/', 0, '',
          CASE WHEN k = 7 THEN 'exhausted' ELSE 'retrying' END, CASE WHEN k = 7 THEN 'timeout' ELSE 'dns' END, now(), 10, now()
        FROM generate_series(${DELIVERED + 1}, ${DELIVERED + MANY}) n, generate_series(1, 7) k`)
      await alone.query('ANALYZE read_model.transaction, read_model.delivery, read_model.attempt')
    })
    after(() => alone.close())

    it('reads only undelivered transactions', async () => {
      const rowsRead = async (): Promise<number> => {
        await alone.query('SELECT pg_stat_force_next_flush()')
        const [row] = await alone.query<{ read: number }>(
          `SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer AS read FROM pg_stat_user_tables
           WHERE schemaname = 'read_model' AND relname IN ('transaction', 'delivery', 'attempt')`,
        )
        return row!.read
      }
      const before = await rowsRead()
      const { groups } = await undeliveredGroups(alone, mine.user_id, { date_from: '2026-04-01' })
      expect(groups.map(({ count, error }) => [count, error])).to.deep.equal([
        [MANY / 2, 'timeout'],
        [MANY / 2, 'timeout'],
      ])
      await eventually(async () => (await rowsRead()) > before, { what: 'statistics that count what was read' })
      // Of each its transaction, its delivery and its last attempt.
      expect((await rowsRead()) - before).to.be.below(4 * MANY)
    })

    it('says that it is not complete if there are more than it examines', async () => {
      expect((await undeliveredGroups(alone, mine.user_id, { status: 'failed' }, 1_000)).complete).to.equal(false)
    })

    it('says so even if no transaction that it examines matches the filter', async () => {
      const { groups, complete } = await undeliveredGroups(alone, mine.user_id, { rule_id: 1 }, 1_000)
      expect([groups, complete]).to.deep.equal([[], false])
    })

    it('is retried by its group', async () => {
      const filter = { status: 'failed', rule_id: shop, error: 'timeout', date_from: '2026-04-01' }
      expect(await begin({ filter, dry_run: true })).to.include({ count: MANY / 2 })
    })
  })
})
