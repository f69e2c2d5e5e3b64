/** Webhook rules: what may be set, by whom, and how the answers look. */
import { expect } from 'chai'
import { verify } from '@octokit/webhooks-methods'
import { eventually } from '../../harness/eventually.ts'
import { hang, openShop, status as answers, type Shop } from '../../harness/shop.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured } from './captured.ts'

const HOOK = 'https://shop.example/hook'

describe('webhook rules', () => {
  let api: ApiUnderTest
  let key: string
  const ask = (method: string, path = '', json?: unknown, as = key) =>
    api.ask(method, `/api/webhooks${path}`, { key: as, ...(json === undefined ? {} : { json }) })
  const create = async (fields: object = {}) =>
    (await ask('POST', '', { name: 'shop', url: HOOK, ...fields })).body.data

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
  })
  after(() => api.close())

  it('are created with defaults and a secret', async () => {
    const { status, body, headers } = await ask('POST', '', { name: ' shop ', url: HOOK })
    expect(status).to.equal(201)
    expect(headers.get('cache-control')).to.equal('no-store')
    const { id, secret_key, created_at, ...rest } = body.data
    expect(secret_key).to.match(/^[0-9a-f]{48}$/)
    expect(new Date(created_at).toISOString()).to.equal(created_at)
    expect(rest).to.deep.equal({
      user_id: api.owner.user_id, system_id: null, system_name: '', name: 'shop', url: HOOK, http_method: 'POST', filter_banks: [],
      filter_type: 'both', min_amount: null, payload_format: 'standard', custom_template: null, is_active: 1, is_auto: 0,
      max_per_minute: null, ordered: 0, previous_until: null,
    }) // prettier-ignore
    const health = { breaker: 'closed', failures_in_a_row: 0, open_since: null, next_probe_at: null, not_before: null }
    expect((await ask('GET')).body.data[0]).to.deep.equal({ ...body.data, health })
    expect((await create()).secret_key).not.to.equal(secret_key)
    expect(id).to.be.a('number')
  })

  it('accept every field', async () => {
    const [system] = (await api.ask('GET', '/api/systems', { key })).body.data
    const fields = {
      name: 'all', url: HOOK, system_id: system.id, http_method: 'PUT', filter_banks: ['VCB', 'MB'], filter_type: 'credit',
      min_amount: 0, payload_format: 'custom', custom_template: '{"order":"{{order_id}}"}', is_active: 0,
      max_per_minute: 60, ordered: 1,
    } // prettier-ignore
    expect(await create(fields)).to.deep.include({ ...fields, system_name: system.name })
    expect((await create({ filter_banks: ['vcb', 'VCB'] })).filter_banks).to.deep.equal(['VCB'])
  })

  it('change their limit and their order like any other field', async () => {
    const { id } = await create()
    const put = async (change: object) => (await ask('PUT', `/${id}`, change)).body
    expect((await put({ max_per_minute: 30, ordered: 1 })).data).to.include({ max_per_minute: 30, ordered: 1 })
    expect((await put({ max_per_minute: null })).data).to.include({ max_per_minute: null, ordered: 1 })
    expect((await put({ max_per_minute: 0 })).issues[0].path).to.equal('max_per_minute')
    expect((await put({ ordered: 2 })).issues[0].path).to.equal('ordered')
  })

  it('refuse unknown and invalid fields, and name them', async () => {
    const other = await api.newAccount('other@example.com')
    const foreign = (
      await api.ask('POST', '/api/systems', {
        key: other.api_key,
        json: { name: 's', type: 'custom', payment_prefix: 'QQ' },
      })
    ).body.data.id
    const cases: [string, object][] = [
      ['name', { name: undefined }],
      ['name', { name: '  ' }],
      ['name', { name: 'a\0b' }],
      ['name', { name: '\ud800' }],
      ['url', { url: undefined }],
      ['url', { url: 'ftp://shop.example' }],
      ['url', { url: 'https://user:password@shop.example/' }],
      ['url', { url: 'shop' }],
      ['system_id', { system_id: foreign }],
      ['system_id', { system_id: 1e308 }],
      ['system_id', { system_id: '1' }],
      ['http_method', { http_method: 'GET' }],
      ['filter_banks', { filter_banks: 'VCB' }],
      ['filter_banks.0', { filter_banks: [5] }],
      ['filter_banks.1', { filter_banks: ['VCB', 'Techcombank'] }],
      ['filter_type', { filter_type: 'all' }],
      ['min_amount', { min_amount: 1.5 }],
      ['min_amount', { min_amount: -1 }],
      ['min_amount', { min_amount: 1e300 }],
      ['payload_format', { payload_format: 'xml' }],
      ['custom_template', { payload_format: 'custom' }],
      ['custom_template', { payload_format: 'custom', custom_template: '{{order_id}}' }],
      ['custom_template', { payload_format: 'custom', custom_template: '{"a":"{{nonsense}}"}' }],
      ['is_active', { is_active: true }],
      ['is_active', { is_active: 2 }],
      ['secret_key', { secret_key: 'ab' }],
      ['id', { id: 5 }],
      ['toString', { toString: 1 }],
      ['constructor', { constructor: {} }],
    ]
    for (const [path, fields] of cases) {
      const { status, body } = await ask('POST', '', { name: 'x', url: HOOK, ...fields })
      expect(status, JSON.stringify(fields)).to.equal(400)
      expect(body).to.include({ success: false, error: 'VALIDATION_FAILED' })
      expect(body.issues.map((issue: { path: string }) => issue.path)).to.include(path)
      expect(body.message, 'the message names the field').to.include(body.issues[0].path)
    }
    expect((await ask('POST', '', { name: 'x' })).body.message).to.equal('url: This field is required.')
    const unknown = { payload_format: 'custom', custom_template: '{"a":"{{nonsense}}"}' }
    const { body } = await ask('POST', '', { name: 'x', url: HOOK, ...unknown })
    expect(body.message).to.include('{{nonsense}}').and.include('order_id').and.include('woocommerce.note')
    const proto = await api.ask('POST', '/api/webhooks', {
      key,
      body: `{"name":"x","url":"${HOOK}","__proto__":{"is_auto":1}}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(proto.status).to.equal(400)
  })

  it('change only the given fields', async () => {
    const rule = await create({ filter_banks: ['VCB'] })
    const paused = await ask('PUT', `/${rule.id}`, { is_active: 0 })
    expect(paused.status).to.equal(200)
    expect(paused.body.data).to.deep.equal({ ...rule, is_active: 0 })
    expect((await ask('PUT', `/${rule.id}`, {})).body.data).to.deep.equal({ ...rule, is_active: 0 })
    const sentBack = await ask('PUT', `/${rule.id}`, {
      ...rule,
      id: 1,
      user_id: 2,
      secret_key: 'x',
      is_auto: 1,
      created_at: 'never',
      name: 'new',
    })
    expect(sentBack.body.data).to.deep.equal({ ...rule, name: 'new' })
    expect((await ask('PUT', `/${rule.id}`, { min_amount: null, filter_banks: [] })).body.data).to.deep.equal({
      ...rule,
      name: 'new',
      filter_banks: [],
    })
    for (const bad of [{ unknown: 1 }, { name: '' }, { payload_format: 'custom' }, { url: 'http://' }, []])
      expect((await ask('PUT', `/${rule.id}`, bad)).status, JSON.stringify(bad)).to.equal(400)
  })

  it('are not accessible to other users', async () => {
    const rule = await create()
    const stranger = await api.newAccount('stranger@example.com')
    for (const [method, path, json] of [
      ['PUT', '', { name: 'mine' }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/logs'],
    ] as const) {
      const { status, body } = await ask(method, `/${rule.id}${path}`, json, stranger.api_key)
      expect([status, body.error], method).to.deep.equal([404, 'NOT_FOUND'])
    }
    expect((await ask('GET', '', undefined, stranger.api_key)).body.data).to.deep.equal([])
  })

  it('keep a URL that is no longer allowed while other fields are changed', async () => {
    const { secret_key: _, previous_until: __, ...rule } = await create()
    const url = 'https://baoco.example/hook'
    await api.decree(api.owner.user_id, {
      type: 'RuleChanged',
      data: { user_id: api.owner.user_id, rule_id: rule.id, url },
    })
    const put = async (change: object) => (await ask('PUT', `/${rule.id}`, change)).body
    expect((await put({ ...rule, name: 'renamed', url })).data).to.include({ name: 'renamed', url })
    expect((await put({ url: `${url}2` })).issues[0].path).to.equal('url')
  })

  it('can be deleted unless a shop connection made them', async () => {
    const rule = await create()
    expect((await ask('DELETE', `/${rule.id}`)).body).to.have.all.keys('success', 'message')
    expect((await ask('DELETE', `/${rule.id}`)).status).to.equal(404)
    const auto = await api.nextId()
    const { id: _, secret_key: __, system_name: ___, ...fields } = rule
    await api.decree(api.owner.user_id, {
      type: 'RuleCreated',
      data: { ...fields, rule_id: auto, is_auto: 1, sealed_secret: 'x' },
    })
    const refused = await ask('DELETE', `/${auto}`)
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'AUTO_RULE'])
    await api.decree(api.owner.user_id, { type: 'RuleDeleted', data: { user_id: api.owner.user_id, rule_id: auto } })
  })

  it('are limited by the plan, even with parallel calls', async () => {
    const free = await api.newAccount('free@example.com', 'Free')
    const made = await Promise.all(
      [1, 2, 3, 4].map((number) => ask('POST', '', { name: `rule ${number}`, url: HOOK }, free.api_key)),
    )
    expect(made.map(({ status }) => status).sort()).to.deep.equal([201, 403, 403, 403])
    const refused = made.find(({ status }) => status === 403)!
    expect(refused.body).to.include({ success: false, error: 'WEBHOOK_LIMIT_REACHED', plan: 'Free', limit: 1 })
  })

  it('are limited as on the Free plan after a plan has expired', async () => {
    const late = await api.newAccount('late@example.com', 'Basic')
    await api.decree(late.user_id, {
      type: 'PlanChanged',
      data: { user_id: late.user_id, plan: 'Basic', expires_at: '2020-01-01T00:00:00.000Z' },
    })
    expect((await ask('POST', '', { name: 'one', url: HOOK }, late.api_key)).status).to.equal(201)
    expect((await ask('POST', '', { name: 'two', url: HOOK }, late.api_key)).body).to.include({
      plan: 'Free',
      limit: 1,
    })
  })

  it('list their calls, twenty per page', async () => {
    const rule = await create()
    const user = api.owner.user_id
    const id = await api.nextId()
    const events = [captured(user, id, { rules: [rule.id], webhook_status: 'pending' })]
    for (let attempt = 1; attempt <= 21; attempt++)
      events.push(
        attempted(id, {
          attempt_id: await api.nextId(),
          rule_id: rule.id,
          attempt,
          outcome: 'retrying',
          next_attempt_at: new Date().toISOString(),
        }),
      )
    await api.happened(user, id, events)
    const { body } = await ask('GET', `/${rule.id}/logs`)
    expect(body).to.include({ success: true, total: 21, page: 1, limit: 20 })
    expect(body.data).to.have.lengthOf(20)
    expect(body.data[0]).to.include({
      webhook_rule_id: rule.id, transaction_id: id, bank_code: 'VCB', amount: '150000.00', transaction_type: 'credit', http_status: 500,
      response_body: 'not now', attempt: 21, sent_at: '2026-03-10T05:00:01.000Z',
    }) // prettier-ignore
    expect(body.data[0]).to.include.keys('id', 'created_at')
    expect(
      (await ask('GET', `/${rule.id}/logs?page=2`)).body.data.map((row: { attempt: number }) => row.attempt),
    ).to.deep.equal([1])
    expect((await ask('GET', `/${rule.id}/logs?page=0`)).status).to.equal(400)
  })

  describe('when they are tested', () => {
    let shop: Shop
    before(async () => {
      shop = await openShop()
    })
    after(() => shop.close())

    it('call the URL with a signature, and report the result', async () => {
      const rule = await create({ url: shop.url, http_method: 'PUT' })
      const { status, body } = await ask('POST', `/${rule.id}/test`)
      expect(status).to.equal(200)
      expect(body).to.include({ success: true, http_code: 200, response_body: 'ok' })
      expect(body.response_time_ms).to.be.a('number')
      const [call] = shop.calls
      expect(call!.method).to.equal('PUT')
      expect(await verify(rule.secret_key, call!.body, call!.headers['x-webhook-signature']!)).to.equal(true)
      expect(JSON.parse(call!.body)).to.include({ event: 'test', currency: 'VND' })
      expect((await ask('GET', `/${rule.id}/logs`)).body.total).to.equal(0)
    })

    it('send a sample transaction in their own format with ?sample=1', async () => {
      const template = { payload_format: 'custom', custom_template: '{"order":"{{order_id}}","paid":"{{amount}}"}' }
      const rule = await create({ url: shop.url, ...template })
      const { status, body } = await ask('POST', `/${rule.id}/test?sample=1`)
      expect([status, body.success, body.http_code]).to.deep.equal([200, true, 200])
      const sample = shop.calls.at(-1)!
      expect(JSON.parse(sample.body)).to.deep.equal({ order: 'DH1042', paid: '150000.00' })
      expect(sample.headers['x-webhook-event']).to.equal('test')
      expect(await verify(rule.secret_key, sample.body, sample.headers['x-webhook-signature']!)).to.equal(true)
      expect((await ask('GET', `/${rule.id}/logs`)).body.total).to.equal(0)

      const without = await ask('POST', `/${rule.id}/test`)
      expect(without.body.success).to.equal(true)
      expect(JSON.parse(shop.calls.at(-1)!.body)).to.include({ event: 'test' })
      const calls = shop.calls.length
      const refused = await ask('POST', `/${rule.id}/test?sample=yes`)
      expect([refused.status, refused.body.issues?.[0].path, shop.calls.length]).to.deep.equal([400, 'sample', calls])
    })

    it('answer 200 with success false if the call failed', async () => {
      const rule = await create({ url: shop.url })
      shop.answer(answers(500, 'broken'))
      expect((await ask('POST', `/${rule.id}/test`)).body).to.include({ success: false, http_code: 500 })
      const closed = await create({ url: 'http://127.0.0.1:1/' })
      const { status, body } = await ask('POST', `/${closed.id}/test`)
      expect(status).to.equal(200)
      expect(body).to.include({ success: false, http_code: 0 })
      expect(body.error).to.be.a('string').that.is.not.empty
    })

    it('give up if the caller disconnects', async () => {
      const rule = await create({ url: shop.url })
      shop.answer(hang)
      const before = shop.calls.length
      const leaving = new AbortController()
      const { signal } = leaving
      const gone = fetch(`${api.url}/api/webhooks/${rule.id}/test`, { method: 'POST', headers: { 'x-api-key': key }, signal }) // prettier-ignore
      const failed = gone.catch((error: Error) => error.name)
      await eventually(() => shop.calls.length === before + 1)
      leaving.abort()
      expect(await failed).to.equal('AbortError')
      expect(shop.calls.length).to.equal(before + 1)
    })
  })
})
