/** The list with each of its parameters, the detail, retry, bulk retry and delete (interface, section 4.2). */
import { expect } from 'chai'
import type { TransactionEventData } from '../../../domain/transaction/events.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

const PERSONAL = ['description', 'raw_data', 'balance_after', 'counterpart_account', 'account_name']

describe('the transaction list', () => {
  let api: ApiUnderTest
  let key: string
  const ids: Record<string, number> = {}

  const list = (query = '', as = key) => api.ask('GET', `/api/transactions${query}`, { key: as })
  const idsOf = async (query: string): Promise<number[]> => {
    const { status, body } = await list(query)
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.total).to.equal(body.data.length)
    return body.data.map(({ id }: { id: number }) => id)
  }
  const add = async (
    name: string,
    given: Partial<TransactionEventData['TransactionCaptured']>,
    user = api.owner.user_id,
  ) => {
    const id = await api.nextId()
    ids[name] = id
    await api.happened(user, id, [captured(user, id, given)])
  }

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    const created_at = '2026-03-12T00:00:00.000Z'
    await add('plain', { created_at })
    await add('debit', { created_at, transaction_type: 'debit', bank_code: 'MB', source_type: 'notification' })
    await add('late', { created_at: '2026-03-11T23:59:59.999Z', transaction_date: '2026-03-09T16:59:59.999Z' })
    await add('midnight', { created_at, transaction_date: '2026-03-09T17:00:00.000Z' })
    await add('accents', {
      created_at,
      description: 'Nguyễn Văn ĐẠT chuyển 50%',
      transaction_ref: null,
      order_id: null,
    })
    await add('signs', { created_at, description: 'a_b\\c', transaction_ref: 'FT%1', order_id: 'DH_7' })
    const other = await api.newAccount('other@example.com')
    await add('foreign', { created_at }, other.user_id)
  })
  after(() => api.close())

  it('shows the newest first, with the prefixes and without personal data', async () => {
    const { body } = await list()
    expect(body).to.have.all.keys('success', 'data', 'total', 'page', 'limit', 'next_cursor', 'prefixes')
    expect(body).to.deep.include({ success: true, total: 6, page: 1, limit: 30, prefixes: ['DH'] })
    const order = ['signs', 'accents', 'midnight', 'debit', 'plain', 'late'].map((name) => ids[name])
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal(order)
    expect(body.data[4]).to.deep.include({
      user_id: api.owner.user_id,
      amount: '150000.00',
      transaction_date: '2026-03-10T05:00:00.000Z',
      created_at: '2026-03-12T00:00:00.000Z',
      already_run_of: null,
      counterpart_bank: null,
    })
    expect(body.data[4]).not.to.have.any.keys(...PERSONAL, 'content', 'source', 'prefix')
  })

  it('shows the five personal fields only with include_raw=1', async () => {
    const raw = (await list('?include_raw=1')).body.data[4]
    expect(raw).to.include({
      description: 'SD TK 0011000415567 +150,000VND',
      raw_data: '{"text":"x"}',
      balance_after: '1250000.00',
      counterpart_account: '19001',
      account_name: 'NGUYEN VAN A',
    })
    for (const query of ['?include_raw=0', '?include_raw=', ''])
      expect((await list(query)).body.data[4]).not.to.have.any.keys(...PERSONAL)
    for (const bad of ['2', 'true', 'yes']) expect((await list(`?include_raw=${bad}`)).status).to.equal(400)
  })

  it('filters by bank, type and source', async () => {
    expect(await idsOf('?bank_code=MB')).to.deep.equal([ids.debit])
    expect(await idsOf('?bank_code=mb')).to.deep.equal([])
    expect(await idsOf('?type=debit')).to.deep.equal([ids.debit])
    expect(await idsOf('?source_type=notification')).to.deep.equal([ids.debit])
    expect(await idsOf('?type=credit&source_type=notification')).to.deep.equal([])
    expect(await idsOf('?type=&bank_code=&source_type=&search=&date_from=&date_to=&unknown=1')).to.have.lengthOf(6)
    for (const bad of ['?type=both', '?source_type=fax']) expect((await list(bad)).status).to.equal(400)
  })

  it('filters by Vietnamese days, both inclusive', async () => {
    expect(await idsOf('?date_to=2026-03-09')).to.deep.equal([ids.late])
    expect(await idsOf('?date_from=2026-03-10'))
      .to.have.lengthOf(5)
      .and.to.include(ids.midnight!)
    expect(await idsOf('?date_from=2026-03-09&date_to=2026-03-09')).to.deep.equal([ids.late])
    expect(await idsOf('?date_from=2026-03-11')).to.deep.equal([])
    expect(await idsOf('?date_from=2026-03-10&date_to=2026-03-10')).to.have.lengthOf(5)
    expect(await idsOf('?date_from=0001-01-01&date_to=9999-12-31')).to.have.lengthOf(6)
    for (const bad of ['2026-02-30', '0000-01-01', '10-03-2026', '2026-3-1', 'today', '2026-03-10T00:00:00Z'])
      expect((await list(`?date_from=${bad}`)).status, bad).to.equal(400)
  })

  it('searches literally and without case, in composed and decomposed letters', async () => {
    const search = (text: string) => idsOf(`?search=${encodeURIComponent(text)}`)
    expect(await search('nguyễn văn đạt'.normalize('NFD'))).to.deep.equal([ids.accents])
    expect(await search('NGUYỄN VĂN')).to.deep.equal([ids.accents])
    expect(await search('%')).to.deep.equal([ids.signs, ids.accents])
    expect(await search('50%')).to.deep.equal([ids.accents])
    expect(await search('_')).to.deep.equal([ids.signs])
    expect(await search('b\\c')).to.deep.equal([ids.signs])
    expect(await search('ft%1')).to.deep.equal([ids.signs])
    expect(await search('dh_7')).to.deep.equal([ids.signs])
    expect(await search("'; DROP TABLE x --")).to.deep.equal([])
    expect((await list('?search=%00')).status).to.equal(400)
  })

  it('accepts all filters together, and all but one', async () => {
    const all = 'bank_code=VCB&type=credit&source_type=sms&date_from=2026-03-10&date_to=2026-03-10&search=sd'
    const withoutSearch = all.replace(/&search=.*/, '')
    // Runs on every connection of the pool, because each connection keeps its statements by name.
    for (const query of Array.from({ length: 10 }, () => [all, withoutSearch]).flat())
      expect(await idsOf(`?${query}`))
        .to.include(ids.plain)
        .and.not.include(ids.debit)
  })

  it('has pages of thirty', async () => {
    const crowd = await api.newAccount('crowd@example.com')
    for (let number = 0; number < 31; number++) {
      const id = await api.nextId()
      await api.happened(crowd.user_id, id, [captured(crowd.user_id, id)])
    }
    const page = async (query: string) => (await list(query, crowd.api_key)).body
    expect((await page('')).data).to.have.lengthOf(30)
    const second = await page('?page=2')
    expect(second).to.include({ total: 31, page: 2, limit: 30 })
    expect(second.data).to.have.lengthOf(1)
    expect(await page('?page=3')).to.deep.include({ total: 31, data: [] })
    expect(await page('?page=999999999999')).to.deep.include({ total: 31, data: [] })
    for (const bad of [
      'page=',
      'page=0',
      'page=-1',
      'page=1.5',
      'page=x',
      'page=1&page=2',
      'page=99999999999999999999',
    ])
      expect((await list(`?${bad}`)).status, bad).to.equal(400)
  })

  it('answers 404 for transactions of other users and for invalid ids', async () => {
    for (const id of [ids.foreign, 999_999_999, 0, -1, '1e3', 'x', '99999999999999999999', '1%00', '%E0%A4%A'])
      for (const [method, path] of [['GET', ''], ['POST', '/retry'], ['DELETE', '']] as const) {
        const { status, body } = await api.ask(method, `/api/transactions/${id}${path}`, { key })
        expect([status, body.error], `${method} ${id}`).to.deep.equal([404, 'NOT_FOUND'])
      } // prettier-ignore
  })
})

describe('one transaction', () => {
  let api: ApiUnderTest
  let key: string
  let user: number
  let rule: number

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    user = api.owner.user_id
    const { body } = await api.ask('POST', '/api/webhooks', {
      key,
      json: { name: 'shop', url: 'https://shop.example/hook' },
    })
    rule = body.data.id
  })
  after(() => api.close())

  const failed = async (created_at = new Date().toISOString(), owner = user, rules = [rule]): Promise<number> => {
    const id = await api.nextId()
    await api.happened(owner, id, [
      captured(owner, id, { rules, webhook_status: 'pending', created_at }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rules[0]! }),
      statusChanged(id, 'pending', 'failed'),
    ])
    return id
  }
  const show = async (id: number, query = '') =>
    (await api.ask('GET', `/api/transactions/${id}${query}`, { key })).body.data

  it('shows its deliveries', async () => {
    const id = await failed()
    const shown = await show(id)
    expect(shown).to.include({ id, webhook_status: 'failed' })
    expect(shown).not.to.have.any.keys(...PERSONAL)
    expect(await show(id, '?include_raw=1')).to.include.all.keys(...PERSONAL)
    expect(shown.deliveries).to.have.lengthOf(1)
    expect(shown.deliveries[0]).to.deep.include({
      webhook_rule_id: rule,
      webhook_url: 'https://shop.example/hook',
      http_status: 500,
      response_body: 'not now',
      attempt: 1,
      sent_at: '2026-03-10T05:00:01.000Z',
      duration_ms: 12,
      outcome: 'exhausted',
      error: 'http_500',
      next_attempt_at: null,
      request: null,
    })
    expect(shown.deliveries[0].id).to.be.a('number')
  })

  it('is queued again if it failed, is due at once if it waits, and is refused if it succeeded', async () => {
    const id = await failed()
    const { status, body } = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'message')
    expect((await show(id)).webhook_status).to.equal('pending')
    const again = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect([again.status, again.body.message]).to.deep.equal([200, 'The transaction is queued again.'])
    expect((await show(id)).webhook_status).to.equal('pending')
    const waiting = await api.nextId()
    await api.happened(user, waiting, [captured(user, waiting, { rules: [rule], webhook_status: 'pending' })])
    const first = await api.ask('POST', `/api/transactions/${waiting}/retry`, { key })
    expect([first.status, first.body.message]).to.deep.equal([
      200,
      'The transaction is already being sent, or it is over the monthly quota and keeps its time.',
    ])
    await api.happened(user, id, [statusChanged(id, 'pending', 'success')])
    const late = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect([late.status, late.body.error]).to.deep.equal([409, 'CONFLICT'])
  })

  it('is sent again if it succeeded and the owner asks for that', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [
      captured(user, id, { rules: [rule], webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule, outcome: 'delivered', http_status: 200 }),
      statusChanged(id, 'pending', 'success'),
    ])
    const retry = (json: object) => api.ask('POST', `/api/transactions/${id}/retry`, { key, json })
    expect((await retry({ again: false })).status).to.equal(409)
    const { status, body } = await retry({ again: true })
    expect([status, body.message]).to.deep.equal([200, 'The transaction is queued again.'])
    expect((await show(id)).webhook_status).to.equal('pending')
    const { body: history } = await api.ask('GET', `/api/transactions/${id}/history`, { key })
    expect(history.data.map(({ text }: { text: string }) => text)).to.include(`sent again, asked for by hand, rule ${rule}`)
  }) // prettier-ignore

  it('shows in the list how its deliveries stand, rule by rule', async () => {
    const mine = await api.newAccount('counts@example.com')
    const rules: number[] = []
    for (const name of ['a', 'b', 'c', 'd']) {
      const json = { name, url: `https://${name}.example/` }
      rules.push((await api.ask('POST', '/api/webhooks', { key: mine.api_key, json })).body.data.id)
    }
    const [dead, fine, waiting, removed] = rules as [number, number, number, number]
    const id = await api.nextId()
    await api.happened(mine.user_id, id, [
      captured(mine.user_id, id, { rules, webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: dead }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: fine, outcome: 'delivered' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: waiting, outcome: 'retrying', next_attempt_at: '2099-01-01T00:00:00.000Z' }),
      { type: 'DeliveryEnded', data: { transaction_id: id, rule_id: removed, reason: 'rule_deleted' } },
    ])
    const unmatched = await api.nextId()
    await api.happened(mine.user_id, unmatched, [captured(mine.user_id, unmatched)])
    const { data } = (await api.ask('GET', '/api/transactions', { key: mine.api_key })).body
    expect(data.map(({ deliveries }: { deliveries: object }) => deliveries)).to.deep.equal([
      { pending: 0, success: 0, failed: 0 },
      { pending: 1, success: 1, failed: 1 },
    ])
  }) // prettier-ignore

  it('is matched again against the current rules if it had no match', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id)])
    expect((await api.ask('POST', `/api/transactions/${id}/retry`, { key, json: {} })).status).to.equal(200)
    expect((await show(id)).webhook_status).to.equal('pending')
    const foreign = await api.nextId()
    await api.happened(user, foreign, [
      captured(user, foreign, { content: 'ZZ99999', order_id: 'ZZ99999', prefix: null }),
    ])
    const retried = await api.ask('POST', `/api/transactions/${foreign}/retry`, { key })
    expect(retried.status).to.equal(200)
    expect(retried.body.message).to.equal('The transaction still matches no rule: nothing is sent.')
    expect((await show(foreign)).webhook_status).to.equal('no_match')
  })

  it('accepts no unknown field for a retry', async () => {
    const id = await failed()
    const { status, body } = await api.ask('POST', `/api/transactions/${id}/retry`, { key, json: { force: true } })
    expect(status).to.equal(400)
    expect(body.issues).to.deep.equal([{ path: 'force', message: 'Unknown field.' }])
  })

  it('is retried in bulk if it is among the oldest 100 that failed in the last 7 days', async () => {
    const mine = await api.newAccount('bulk@example.com')
    const made = await api.ask('POST', '/api/webhooks', {
      key: mine.api_key,
      json: { name: 's', url: 'https://s.example/' },
    })
    const day = 86_400_000
    const old = await failed(new Date(Date.now() - 7 * day - 60_000).toISOString(), mine.user_id, [made.body.data.id])
    const all: number[] = []
    for (let number = 0; number < 101; number++)
      all.push(
        await failed(new Date(Date.now() - 6 * day + number * 1000).toISOString(), mine.user_id, [made.body.data.id]),
      )
    const retried = await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })
    expect(retried.body).to.deep.equal({ success: true, count: 100 })
    const statusOf = async (id: number) =>
      (await api.ask('GET', `/api/transactions/${id}`, { key: mine.api_key })).body.data.webhook_status
    expect(await statusOf(all[0]!)).to.equal('pending')
    expect(await statusOf(all[99]!)).to.equal('pending')
    expect(await statusOf(all[100]!)).to.equal('failed')
    expect(await statusOf(old)).to.equal('failed')
    expect((await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })).body.count).to.equal(1)
    expect((await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })).body.count).to.equal(0)
  })

  it('is gone with its deliveries and its personal data when it is deleted', async () => {
    const id = await failed()
    const { status, body } = await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'message')
    expect((await api.ask('GET', `/api/transactions/${id}`, { key })).status).to.equal(404)
    expect((await api.ask('DELETE', `/api/transactions/${id}`, { key })).status).to.equal(404)
    const listed = (await api.ask('GET', '/api/transactions', { key })).body.data as { id: number }[]
    expect(listed.map((each) => each.id)).not.to.include(id)
    const logs = (await api.ask('GET', `/api/webhooks/${rule}/logs`, { key })).body.data as { transaction_id: number }[]
    expect(logs.map((each) => each.transaction_id)).not.to.include(id)
    const [events] = await api.store.read([{ stream: `transaction-${id}` }])
    expect(events!.map(({ type }) => type)).to.deep.equal(['TransactionDeleted'])
  })
})
