/** Tests sections 3 and 4 of the interface on a running API. Each row of the tables there has a test. */
import { expect } from 'chai'
import { DAY_MS } from '../../../domain/time.ts'
import { OWNERS_PASSWORD } from '../http/api-under-test.ts'
import { status as answers } from '../../harness/shop.ts'
import { openInterface } from './setting.ts'

describe('the interface, sections 3 to 7', () => {
  const on = openInterface()
  const { get, post, transaction, statusOf } = on

  // --- 3 -----------------------------------------------------------------------------------------------------------

  for (const status of ['pending', 'success', 'failed', 'no_match', 'skipped', 'plan_upgraded', 'already_run'] as const)
    it(`§3.1 webhook_status: ${status}`, async () => expect(await statusOf(await transaction(status))).to.equal(status))

  // The decision "Retry" adds `pending`.
  for (const from of ['failed', 'no_match', 'pending'] as const)
    it(`§3.1 manual retry from ${from}: returns a message`, async () => {
      const id = await transaction(from)
      const { status, body } = await post(`/api/transactions/${id}/retry`)
      expect([status, body.success]).to.deep.equal([200, true])
      expect(body.message).to.be.a('string')
      expect(['pending', 'no_match']).to.include(await statusOf(id))
    })
  for (const from of ['success', 'skipped', 'plan_upgraded', 'already_run'] as const)
    it(`§3.1 manual retry from ${from}: is refused`, async () => {
      const id = await transaction(from)
      expect((await post(`/api/transactions/${id}/retry`)).status).to.equal(409)
      expect(await statusOf(id)).to.equal(from)
    })
  it('§3.1 manual retry: only of the caller’s own transactions', async () => {
    const other = await on.api.newAccount('retry@example.com')
    const id = await transaction('failed')
    expect((await post(`/api/transactions/${id}/retry`, undefined, other.api_key)).status).to.equal(404)
    expect(await statusOf(id)).to.equal('failed')
  })
  it('§3.1 bulk retry: from failed, of the last 7 days', async () => {
    const old = await transaction('failed', { created_at: new Date(Date.now() - 7 * DAY_MS - 60_000).toISOString() })
    const young = await transaction('failed', { created_at: new Date(Date.now() - 7 * DAY_MS + 600_000).toISOString() })
    const unmatched = await transaction('no_match')
    expect((await post('/api/webhooks/bulk-retry')).body.count).to.be.at.least(1)
    expect([await statusOf(old), await statusOf(young), await statusOf(unmatched)]).to.deep.equal([
      'failed',
      'pending',
      'no_match',
    ])
  })

  // --- 4 -----------------------------------------------------------------------------------------------------------

  it('§4.1 POST /api/auth/login: email, password → success, token', async () => {
    const { status, body } = await on.api.ask('POST', '/api/auth/login', {
      json: { email: on.api.owner.email, password: OWNERS_PASSWORD },
    })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'token')
    expect(body.token.split('.')).to.have.lengthOf(3)
  })

  it('§4.2 GET /api/transactions: {success, data, total, page, limit, prefixes}', async () => {
    const { body } = await get('/api/transactions')
    expect(body).to.include.all.keys('success', 'data', 'total', 'page', 'limit', 'prefixes')
    expect([body.success, body.page, body.limit]).to.deep.equal([true, 1, 30])
  })
  it('§4.2 GET /api/transactions/:id: {success, data} with deliveries', async () => {
    const { body } = await get(`/api/transactions/${await transaction('skipped')}`)
    expect(body).to.have.all.keys('success', 'data')
    expect(body.data.deliveries).to.deep.equal([])
  })
  it('§4.2 POST /api/transactions/:id/retry: no body → {success: true, message}', async () => {
    const { body } = await post(`/api/transactions/${await transaction('no_match')}/retry`)
    expect(body).to.have.all.keys('success', 'message')
  })
  it('§4.2 DELETE /api/transactions/:id: removes it with its deliveries', async () => {
    const id = await transaction('failed')
    expect((await on.api.ask('DELETE', `/api/transactions/${id}`, { key: on.key })).status).to.equal(200)
    expect((await get(`/api/transactions/${id}`)).status).to.equal(404)
  })

  const find = async (query: string): Promise<number[]> =>
    (await get(`/api/transactions?${query}`)).body.data.map(({ id }: { id: number }) => id)

  it('§4.2 parameter page — page number, 1 by default; 30 records per page', async () => {
    const first = (await get('/api/transactions')).body
    expect((await get('/api/transactions?page=1')).body.data).to.deep.equal(first.data)
    expect((await get('/api/transactions?page=1000000')).body.data).to.deep.equal([])
  })
  for (const [parameter, good, given, other] of [
    ['bank_code', 'TCB', { bank_code: 'TCB' }, { bank_code: 'TCBX' }],
    ['type', 'debit', { transaction_type: 'debit' }, { transaction_type: 'credit' }],
    ['source_type', 'email', { source_type: 'email' }, { source_type: 'api' }],
    [
      'date_from',
      '2031-01-02',
      { transaction_date: '2031-01-01T17:00:00.000Z' },
      { transaction_date: '2031-01-01T16:59:59.999Z' },
    ],
    [
      'date_to',
      '2001-01-02',
      { transaction_date: '2001-01-02T16:59:59.999Z' },
      { transaction_date: '2001-01-02T17:00:00.000Z' },
    ],
    ['search', 'in the description', { description: 'x In The Description y' }, { description: 'elsewhere' }],
    ['search', 'in the reference', { transaction_ref: 'x in the reference' }, { transaction_ref: null }],
    ['search', 'SEARCHED7', { order_id: 'XSEARCHED77' }, { order_id: null }],
  ] as const)
    it(`§4.2 parameter ${parameter} — accepts ${good}`, async () => {
      const [fits, differs] = [await transaction('skipped', given), await transaction('skipped', other)]
      const found = await find(`${parameter}=${encodeURIComponent(good)}`)
      expect(found).to.include(fits)
      expect(found).not.to.include(differs)
    })
  for (const [parameter, bad] of [
    ['page', '0'],
    ['type', 'CREDIT'],
    ['source_type', 'fax'],
    ['date_from', '2026-13-01'],
    ['date_to', '01/02/2026'],
    ['include_raw', 'yes'],
  ] as const)
    it(`§4.2 parameter ${parameter} — refuses ${bad}`, async () =>
      expect((await get(`/api/transactions?${parameter}=${encodeURIComponent(bad)}`)).status).to.equal(400))
  it('§4.2 parameter include_raw — 1 adds the omitted fields', async () => {
    expect((await get('/api/transactions?include_raw=1')).body.data[0]).to.have.property('description')
  })
  it('§4.2 parameter api_key — accepts the API key in the query', async () => {
    expect((await on.api.ask('GET', `/api/transactions?api_key=${on.key}`)).status).to.equal(200)
    expect((await on.api.ask('GET', '/api/transactions')).status).to.equal(401)
  })

  const newRule = async (fields: object = {}): Promise<number> =>
    (await post('/api/webhooks', { name: 'one', url: on.shop.url, ...fields })).body.data.id

  it('§4.3 GET /api/webhooks: {success, data: [rule]}', async () => {
    const { body } = await get('/api/webhooks')
    expect(body).to.have.all.keys('success', 'data')
    expect(body.data).to.be.an('array')
  })
  it('§4.3 POST /api/webhooks: the created rule, with its secret_key', async () => {
    const { status, body } = await post('/api/webhooks', { name: 'new', url: on.shop.url })
    expect(status).to.equal(201)
    expect(body.data.secret_key).to.match(/^[0-9a-f]{48}$/)
  })
  for (const field of ['name', 'url'] as const)
    it(`§4.3 create: ${field} — required`, async () => {
      const { [field]: _, ...rest } = { name: 'x', url: on.shop.url }
      const { status, body } = await post('/api/webhooks', rest)
      expect([status, body.issues.map(({ path }: { path: string }) => path)]).to.deep.equal([400, [field]])
    })
  for (const [field, given] of [
    ['system_id', null],
    ['http_method', 'PUT'],
    ['filter_banks', ['MB']],
    ['filter_type', 'debit'],
    ['min_amount', 5000],
    ['payload_format', 'woocommerce'],
    ['custom_template', '{"a":"{{amount}}"}'],
  ] as const)
    it(`§4.3 create: ${field} — stored as given`, async () => {
      const { body } = await post('/api/webhooks', { name: 'x', url: on.shop.url, [field]: given })
      expect(body.data[field]).to.deep.equal(given)
    })
  it('§4.3 PUT /api/webhooks/:id: accepts a partial body, such as is_active alone', async () => {
    const id = await newRule({ name: 'before' })
    for (const is_active of [0, 1]) {
      const { body } = await on.api.ask('PUT', `/api/webhooks/${id}`, { key: on.key, json: { is_active } })
      expect(body.data).to.include({ id, name: 'before', is_active })
    }
  })
  it('§4.3 DELETE /api/webhooks/:id: deletes the rule', async () => {
    const id = await newRule()
    expect((await on.api.ask('DELETE', `/api/webhooks/${id}`, { key: on.key })).status).to.equal(200)
    expect((await get('/api/webhooks')).body.data.map((rule: { id: number }) => rule.id)).not.to.include(id)
  })
  it('§4.3 POST /api/webhooks/:id/test: {success: true, http_code, response_time_ms, response_body}', async () => {
    const { body } = await post(`/api/webhooks/${await newRule()}/test`)
    expect(body).to.have.all.keys('success', 'http_code', 'response_time_ms', 'response_body')
    expect(body).to.include({ success: true, http_code: 200, response_body: 'ok' })
    expect(Number.isInteger(body.response_time_ms)).to.equal(true)
  })
  it('§4.3 POST /api/webhooks/:id/test: on failure {success: false, http_code, error} and the answer', async () => {
    on.shop.answer(answers(500, 'broken'))
    const { status, body } = await post(`/api/webhooks/${await newRule()}/test`)
    on.shop.answer(answers(200, 'ok'))
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'http_code', 'error', 'response_time_ms', 'response_body')
    expect(body).to.include({ success: false, http_code: 500 })
  })
  it('§4.3 GET /api/webhooks/:id/logs: {success, data, total, page, limit}, 20 records per page', async () => {
    const { body } = await get(`/api/webhooks/${on.ruleId}/logs`)
    expect(body).to.include.all.keys('success', 'data', 'total', 'page', 'limit')
    expect([body.page, body.limit]).to.deep.equal([1, 20])
    expect((await get(`/api/webhooks/${on.ruleId}/logs?page=2`)).body.page).to.equal(2)
  })
  it('§4.3 POST /api/webhooks/bulk-retry: {success: true, count}', async () => {
    const { body } = await post('/api/webhooks/bulk-retry')
    expect(body).to.have.all.keys('success', 'count')
    expect(Number.isInteger(body.count)).to.equal(true)
  })
  it('§4.3 no operation rotates a rule’s secret: a secret in the body is ignored', async () => {
    const { body } = await post('/api/webhooks', { name: 'x', url: on.shop.url })
    const { id, secret_key } = body.data
    const changed = await on.api.ask('PUT', `/api/webhooks/${id}`, {
      key: on.key,
      json: { secret_key: '0'.repeat(48) },
    })
    expect(changed.body.data.secret_key).to.equal(secret_key)
  })

  // --- 2.5, 5, 6: the test operation's call ------------------------------------------------------------------------
})
