/** Lists beyond the interface: filters, cursors, and what happened to one transaction in words. */
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/postgres/database.ts'
import { lookAhead } from '../../../adapters/postgres/queries/transaction-totals.ts'
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
    // Three share a moment, so that the id decides between them.
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
        ...(isSent ? [attempted(id, { attempt_id: await api.nextId(), rule_id: rule }), statusChanged(id, 'pending', 'failed')] : []),
      ]) // prettier-ignore
      ids.unshift(id)
    }
  })
  after(() => api.close())

  const list = async (query = '', as = key) => (await api.ask('GET', `/api/transactions?${query}`, { key: as })).body
  const found = async (query: string): Promise<[number, number]> => {
    const { data, total } = await list(query)
    return [data.length, total]
  }

  it('go on from a cursor to the end, each row once, newest first', async () => {
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

  it('go on where they were when something new came in between', async () => {
    const { next_cursor, data } = await list('order_id=&webhook_status=no_match')
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, { order_id: 'DH1' })])
    const next = await list(`webhook_status=no_match&cursor=${next_cursor}`)
    expect(next.data[0].id).to.be.below(data.at(-1).id)
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
  })

  it('refuse a cursor that was altered, made up, of another list or of another user', async () => {
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

  it('are filtered by outcome, rule, system, order id and account', async () => {
    expect(await found('webhook_status=failed')).to.deep.equal([7, 7])
    expect(await found(`rule_id=${rule}`)).to.deep.equal([7, 7])
    expect(await found(`system_id=${system}`)).to.deep.equal([30, 33])
    expect(await found('order_id=DH1042')).to.deep.equal([1, 1])
    expect(await found('account_number=99887766')).to.deep.equal([5, 5])
    expect(await found('account_number=99887766&webhook_status=failed&type=credit')).to.deep.equal([1, 1])
    for (const bad of ['webhook_status=lost', 'rule_id=x', 'rule_id=0', 'system_id=-1', 'order_id=a&order_id=b'])
      expect((await api.ask('GET', `/api/transactions?${bad}`, { key })).status, bad).to.equal(400)
  })

  it('are the same whether they go through all from the newest on, or only through the days that have some', async () => {
    const { user_id, api_key } = await api.newAccount('long@example.com')
    const DAYS = 40
    const all: { id: number; at: number; type: string; bank: string; account: string; source: string }[] = []
    for (let number = 0; number < DAYS * 6; number++) {
      const day = Math.floor(number / 6)
      const at = Date.UTC(2026, 0, 1 + day, number % 6)
      all.push({
        id: await api.nextId(),
        at,
        type: number % 2 === 0 ? 'credit' : 'debit',
        bank: number % 3 === 0 ? 'MB' : 'VCB',
        // One of old, for a while; one now and then.
        account: day < 7 ? 'closed' : number % 90 === 0 ? 'spare' : 'usual',
        source: day < 7 ? 'email' : 'sms',
      })
    }
    await Promise.all(
      all.map(({ id, at, type, bank, account, source }) => {
        const moment = new Date(at).toISOString()
        return api.happened(user_id, id, [
          captured(user_id, id, {
            created_at: moment, transaction_date: moment, transaction_type: type as 'credit', bank_code: bank,
            account_number: account, source_type: source as 'sms',
          }),
        ]) // prettier-ignore
      }),
    )
    const newestFirst = all.toSorted((a, b) => b.at - a.at || b.id - a.id)
    const wanted: [string, (row: (typeof all)[number]) => boolean, byDay: boolean][] = [
      ['account_number=closed', ({ account }) => account === 'closed', true],
      ['account_number=spare', ({ account }) => account === 'spare', true],
      ['source_type=email&type=debit', ({ source, type }) => source === 'email' && type === 'debit', true],
      [
        'date_from=2026-01-03&date_to=2026-01-12',
        ({ at }) => at >= Date.UTC(2026, 0, 2, 17) && at < Date.UTC(2026, 0, 12, 17),
        true,
      ],
      ['type=debit', ({ type }) => type === 'debit', false],
      ['bank_code=MB&type=debit', ({ bank, type }) => bank === 'MB' && type === 'debit', false],
      ['bank_code=MB&account_number=closed', (row) => row.bank === 'MB' && row.account === 'closed', true],
    ]
    const database = openDatabase(api.databaseUrl, { poolSize: 1 })
    for (const [query, isWanted, byDay] of wanted) {
      const expected = newestFirst.filter(isWanted).map(({ id }) => id)
      const filter = Object.fromEntries(new URLSearchParams(query))
      const { total, days } = await lookAhead(database, user_id, filter, { page: 1 }, 30)
      expect([total, days !== null], query).to.deep.equal([expected.length, byDay])
      const seen: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: { data: { id: number }[]; next_cursor: string | null } = await list(
          `${query}&cursor=${cursor}`,
          api_key,
        )
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor
      }
      expect(seen, query).to.deep.equal(expected)
      const second = await list(`${query}&page=2`, api_key)
      expect(second.data.map(({ id }: { id: number }) => id), query).to.deep.equal(expected.slice(30, 60)) // prettier-ignore
    }
    await database.close()
  })

  it("show nothing by others' rules and systems", async () => {
    const stranger = await api.newAccount('stranger2@example.com')
    for (const query of ['', `rule_id=${rule}`, `system_id=${system}`, 'order_id=DH1042'])
      expect(await list(query, stranger.api_key)).to.deep.include({ data: [], total: 0, next_cursor: null })
  })

  it('of attempts go on from a cursor, too', async () => {
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

  it('tell what happened to one, to its owner', async () => {
    const path = `/api/transactions/${ids.find((_, index) => (64 - index) % 10 === 0)!}/history`
    const { status, body } = await api.ask('GET', path, { key })
    expect(status).to.equal(200)
    expect(body.data.map(({ event }: { event: string }) => event)).to.deep.equal([
      'TransactionCaptured',
      'WebhookAttempted',
      'WebhookStatusChanged',
    ])
    expect(body.data[1].text).to.include('https://shop.example').and.include('answered 500')
    expect(JSON.stringify(body)).not.to.include('0011000415567')
    const stranger = await api.newAccount('stranger3@example.com')
    expect((await api.ask('GET', path, { key: stranger.api_key })).status).to.equal(404)
    expect((await api.ask('GET', '/api/transactions/999999/history', { key })).status).to.equal(404)
  })

  it('tell nothing of one that was deleted', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id)])
    await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect((await api.ask('GET', `/api/transactions/${id}/history`, { key })).status).to.equal(404)
  })
})
