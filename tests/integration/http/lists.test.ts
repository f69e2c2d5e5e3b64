/** Lists beyond the interface: filters, cursors, and the history of a transaction in words. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { lookAhead } from '../../../projections/transaction/totals.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

describe('lists', () => {
  let api: ApiUnderTest
  let key: string
  let user: number
  let rule: number
  let system: number
  const ids: number[] = []

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    user = api.owner.user_id
    rule = (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url: 'https://s.example/' } })).body.data
      .id
    system = (await api.ask('GET', '/api/systems', { key })).body.data[0].id
    // Three rows share each time, so the id decides their order.
    for (let number = 0; number < 65; number++) {
      const id = await api.nextId()
      const created_at = new Date(Date.UTC(2026, 2, 1, 0, Math.floor(number / 3))).toISOString()
      const isSent = number % 10 === 0
      await api.happened(user, id, [
        captured(user, id, {
          created_at,
          order_id: `DH${1000 + number}`,
          prefix: number % 2 === 0 ? 'DH' : null,
          account_number: number < 5 ? '99887766' : '0011000415567',
          ...(isSent && { rules: [rule], webhook_status: 'pending' as const }),
        }),
        ...(isSent
          ? [attempted(id, { attempt_id: await api.nextId(), rule_id: rule }), statusChanged(id, 'pending', 'failed')]
          : []),
      ])
      ids.unshift(id)
    }
  })
  after(() => api.close())

  const list = async (query = '', as = key) => (await api.ask('GET', `/api/transactions?${query}`, { key: as })).body
  const found = async (query: string): Promise<[number, number]> => {
    const { data, total } = await list(query)
    return [data.length, total]
  }

  it('continue from a cursor to the end, each row once, newest first', async () => {
    const seen: number[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const page: { data: { id: number }[]; next_cursor: string | null; total: number } = await list(`cursor=${cursor}`)
      seen.push(...page.data.map(({ id }) => id))
      expect(page.total).to.equal(65)
      cursor = page.next_cursor
    }
    expect(pages).to.equal(3)
    expect(seen).to.deep.equal(ids)
  })

  it('continue at the same position if a new row was added in between', async () => {
    const { next_cursor, data } = await list('order_id=&webhook_status=no_match')
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, { order_id: 'DH1' })])
    const next = await list(`webhook_status=no_match&cursor=${next_cursor}`)
    expect(next.data[0].id).to.be.below(data.at(-1).id)
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
  })

  it('can begin with the same row again after newer ones have arrived', async () => {
    const first = await list()
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, {})])
    const again = await list(`cursor=${first.same_cursor}`)
    expect(again.data).to.deep.equal(first.data)
    expect([again.next_cursor, again.same_cursor]).to.deep.equal([first.next_cursor, first.same_cursor])
    expect((await list('order_id=NONE')).same_cursor).to.equal(null)
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
  })

  it('refuse a cursor that is altered, made up, or of another list or user', async () => {
    const { next_cursor } = await list()
    const stranger = await api.newAccount('stranger@example.com')
    const refused = async (cursor: string, as = key, path = '/api/transactions') => {
      const { status, body } = await api.ask('GET', `${path}?cursor=${cursor}`, { key: as })
      expect([status, body.issues?.[0].path], cursor).to.deep.equal([400, 'cursor'])
    }
    const bytes = Buffer.from(next_cursor, 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const altered = Buffer.from(bytes)
      altered[index]! ^= 1
      await refused(altered.toString('base64url'))
    }
    for (const made of ['x', 'AAAA', `${next_cursor}A`, Buffer.from('2026.5').toString('base64url'), '%00', '🙂'])
      expect((await api.ask('GET', `/api/transactions?cursor=${made}`, { key })).status, made).to.equal(400)
    await refused(next_cursor, stranger.api_key)
    await refused(next_cursor, key, `/api/webhooks/${rule}/logs`)
  })

  it('can be filtered by outcome, rule, system, order id and account', async () => {
    expect(await found('webhook_status=failed')).to.deep.equal([7, 7])
    expect(await found(`rule_id=${rule}`)).to.deep.equal([7, 7])
    expect(await found(`system_id=${system}`)).to.deep.equal([30, 33])
    expect(await found('order_id=DH1042')).to.deep.equal([1, 1])
    expect(await found('order_id=dh1042'), 'in any case').to.deep.equal([1, 1])
    expect(await found('account_number=99887766')).to.deep.equal([5, 5])
    expect(await found('account_number=99887766&webhook_status=failed&type=credit')).to.deep.equal([1, 1])
    for (const bad of ['webhook_status=lost', 'rule_id=x', 'rule_id=0', 'system_id=-1', 'order_id=a&order_id=b'])
      expect((await api.ask('GET', `/api/transactions?${bad}`, { key })).status, bad).to.equal(400)
  })

  it('include what a better copy added, and exclude deleted transactions', async () => {
    const before = await found(`system_id=${system}`)
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, { order_id: null, prefix: null, webhook_status: 'skipped' })])
    expect(await found(`system_id=${system}`)).to.deep.equal(before)
    const matched = { order_id: 'DH4711', prefix: 'DH', rules: [], webhook_status: 'no_match' as const }
    await api.happened(user, id, [
      { type: 'TransactionCompleted', data: { transaction_id: id, completed_by: id, ...matched } },
    ])
    expect((await list(`system_id=${system}`)).data[0].id).to.equal(id)
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect(await found(`system_id=${system}`)).to.deep.equal(before)
  })

  describe('of many transactions', () => {
    const DAYS = 130
    const A_DAY = 200
    const from = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
    let many: { user_id: number; api_key: string }
    let database: Database

    before(async () => {
      many = await api.newAccount('many@example.com')
      database = openDatabase(api.databaseUrl, { poolSize: 1 })
      // Rows as the projector would write them. Three rows share each time, and one in 97 arrives three days late. Debits
      // occur only at the beginning, one account is closed early, and another is used only occasionally.
      await database.query(
        `INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency, description,
            account_number, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
          SELECT 800000 + n, $1, CASE WHEN n % 3 = 0 THEN 'MB' ELSE 'VCB' END, 'Bank',
            CASE WHEN n <= 12000 AND n % 2 = 0 THEN 'debit' ELSE 'credit' END, 1000, 'VND', 'x',
            CASE WHEN n <= 2000 THEN 'closed' WHEN n % 1999 = 0 THEN 'spare' WHEN n % 5 > 0 THEN 'usual' END,
            CASE WHEN n <= 2000 THEN 'email' ELSE 'sms' END, 'url', CASE WHEN n % 20 = 1 THEN 'failed' ELSE 'success' END, '{}',
            at, at + CASE WHEN n % 97 = 0 THEN interval '3 days' ELSE interval '0' END, at
          FROM generate_series(1, $2::integer) n,
            LATERAL (SELECT '2026-01-01T00:00:00+07'::timestamptz + (n - 1) / 3 * interval '1 day' / $3 * 3 AS at) a`,
        [many.user_id, DAYS * A_DAY, A_DAY],
      )
      await database.query('ANALYZE read_model.transaction')
    })
    after(() => database.close())

    const account = (name: string) => `account_number = '${name}'`
    const days = (first: number, last: number) =>
      `transaction_date >= '${from(first)}T00:00+07' AND transaction_date < '${from(last + 1)}T00:00+07'`
    const between = (first: number, last: number) => `date_from=${from(first)}&date_to=${from(last)}`
    const failed = "webhook_status = 'failed'"
    const wanted: [query: string, where: string, way: 'time' | 'kind' | 'day'][] = [
      ['account_number=closed', account('closed'), 'kind'],
      ['account_number=spare', account('spare'), 'kind'],
      ['account_number=spare&type=debit', `${account('spare')} AND transaction_type = 'debit'`, 'kind'],
      ['account_number=none', account('none'), 'time'],
      ['type=debit', "transaction_type = 'debit'", 'kind'],
      ['bank_code=MB', "bank_code = 'MB'", 'kind'],
      ['source_type=email&bank_code=VCB', "source_type = 'email' AND bank_code = 'VCB'", 'kind'],
      ['account_number=closed&webhook_status=failed', `${account('closed')} AND ${failed}`, 'kind'],
      ['type=credit&webhook_status=failed', `transaction_type = 'credit' AND ${failed}`, 'time'],
      ['webhook_status=success', "webhook_status = 'success'", 'time'],
      ['type=credit&webhook_status=success', "transaction_type = 'credit' AND webhook_status = 'success'", 'time'],
      ['type=debit&webhook_status=success', "transaction_type = 'debit' AND webhook_status = 'success'", 'day'],
      [between(7, 7), days(7, 7), 'day'],
      [between(2, 12), days(2, 12), 'day'],
      [`${between(2, 12)}&account_number=closed`, `${days(2, 12)} AND ${account('closed')}`, 'kind'],
      [`${between(2, 40)}&type=debit`, `${days(2, 40)} AND transaction_type = 'debit'`, 'day'],
      [`${between(0, 97)}`, days(0, 97), 'day'],
      [`${between(0, 129)}`, days(0, 129), 'time'],
      [`${between(0, 129)}&account_number=spare`, `${days(0, 129)} AND ${account('spare')}`, 'kind'],
    ]
    for (const [query, where, way] of wanted)
      it(`are the same with every access path: ${query}, by ${way}`, async () => {
        const expected = await database.query<{ id: number }>(
          `SELECT id FROM read_model.transaction WHERE user_id = $1 AND ${where} ORDER BY created_at DESC, id DESC`,
          [many.user_id],
        )
        const ids = expected.map(({ id }) => id)
        const filter = Object.fromEntries(new URLSearchParams(query))
        const { total, parts } = await lookAhead(database, many.user_id, filter, { page: 1 })
        expect([total, parts?.by ?? 'time']).to.deep.equal([ids.length, way])
        const pageOf = async (more: string) => {
          const { data, ...page } = await list(`${query}&${more}`, many.api_key)
          return { ...page, ids: data.map((row: { id: number }) => row.id) }
        }
        for (let page = 0, cursor = ''; page < 5 && cursor !== null; page++) {
          const { next_cursor, ...read } = await pageOf(`cursor=${cursor}`)
          expect(read).to.deep.include({ total: ids.length, ids: ids.slice(page * 30, page * 30 + 30) })
          expect(next_cursor === null).to.equal(ids.length <= page * 30 + 30)
          cursor = next_cursor
        }
        for (const page of [2, 7, 60])
          expect((await pageOf(`page=${page}`)).ids).to.deep.equal(ids.slice(page * 30 - 30, page * 30))
      })
  })

  it('show nothing for rules and systems of other users', async () => {
    const stranger = await api.newAccount('stranger2@example.com')
    const own = await api.nextId()
    await api.happened(stranger.user_id, own, [captured(stranger.user_id, own, { order_id: 'DH1', prefix: 'DH' })])
    expect((await list('', stranger.api_key)).data.map(({ id }: { id: number }) => id)).to.deep.equal([own])
    for (const query of [`rule_id=${rule}`, `system_id=${system}`, 'order_id=DH1042'])
      expect(await list(query, stranger.api_key)).to.deep.include({ data: [], total: 0, next_cursor: null })
  })

  it('of attempts also continue from a cursor', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, { rules: [rule], webhook_status: 'pending' })])
    for (let attempt = 1; attempt <= 20; attempt++)
      await api.happened(user, id, [attempted(id, { attempt_id: await api.nextId(), rule_id: rule, attempt })])
    const logs = async (query: string) => (await api.ask('GET', `/api/webhooks/${rule}/logs?${query}`, { key })).body
    const first = await logs('')
    const second = await logs(`cursor=${first.next_cursor}`)
    expect([first.data.length, second.data.length, second.next_cursor]).to.deep.equal([20, 7, null])
    const all = [...first.data, ...second.data].map((row: { id: number }) => row.id)
    expect(all).to.deep.equal([...all].sort((a, b) => b - a))
    expect(new Set(all)).to.have.lengthOf(27)
  })

  it('show the history of a transaction only to its owner', async () => {
    const path = `/api/transactions/${ids.find((_, index) => (64 - index) % 10 === 0)!}/history`
    const { status, body } = await api.ask('GET', path, { key })
    expect(status).to.equal(200)
    expect(body.data.map(({ event }: { event: string }) => event)).to.deep.equal([
      'TransactionCaptured',
      'WebhookAttempted',
      'WebhookStatusChanged',
    ])
    expect(body.data[1].text).to.include('https://shop.example').and.include('answered 500')
    const { rules } = body.data[0].facts
    expect(body.data.map(({ facts }: { facts: object }) => facts)).to.deep.equal([
      { rules, prefix: 'DH' },
      { rules, attempt: 1, http_status: 500, error: 'http_500' },
      { status: 'failed' },
    ])
    expect(JSON.stringify(body)).not.to.include('0011000415567')
    const stranger = await api.newAccount('stranger3@example.com')
    expect((await api.ask('GET', path, { key: stranger.api_key })).status).to.equal(404)
    expect((await api.ask('GET', '/api/transactions/999999/history', { key })).status).to.equal(404)
  })

  it('show no history of a deleted transaction', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id)])
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect((await api.ask('GET', `/api/transactions/${id}/history`, { key })).status).to.equal(404)
  })
})
