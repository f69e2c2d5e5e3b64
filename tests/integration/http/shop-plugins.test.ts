/** Connecting a shop plugin, and previews of what a rule would send (decisions, "Connected systems, rules, sources"). */
import { expect } from 'chai'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('shop plugins', () => {
  let api: ApiUnderTest
  before(async () => (api = await openApi()))
  after(() => api.close())

  const shop = {
    type: 'woocommerce',
    site_url: 'https://shop.example/store/',
    webhook_url: 'https://shop.example/wp-json/pay',
    payment_prefix: 'wc',
  }
  const connect = (key: string, change: object = {}) =>
    api.ask('POST', '/api/systems/connect', { key, json: { ...shop, ...change } })
  const account = async (name: string, plan: 'Free' | 'Pro' = 'Pro') =>
    (await api.newAccount(`${name}@plugins.example`, plan)).api_key

  it('get a system and an automatic rule with its secret when they connect', async () => {
    const key = await account('first')
    const { status, body } = await connect(key)
    expect(status).to.equal(201)
    const { system, rule } = body.data
    expect(system).to.include({ type: 'woocommerce', payment_prefix: 'WC', is_active: 1 })
    expect(rule).to.include({
      is_auto: 1,
      system_id: system.id,
      url: shop.webhook_url,
      filter_type: 'credit',
      payload_format: 'woocommerce',
    })
    expect(rule.secret_key).to.match(/^[0-9a-f]{48}$/)
    // A list also contains the health of the endpoint.
    const listed = (await api.ask('GET', '/api/webhooks', { key })).body.data
    expect(listed).to.deep.equal([{ ...rule, health: listed[0].health }])
    expect(listed[0].health).to.include({ breaker: 'closed', failures_in_a_row: 0 })
    expect((await api.ask('GET', `/api/systems/${system.id}`, { key })).body.data).to.deep.equal(system)
  })

  it('get the same ids and secret when they connect again, and can change their URL', async () => {
    const key = await account('again')
    const before = (await connect(key)).body.data
    const again = await connect(key, {
      site_url: 'https://SHOP.example/store',
      webhook_url: 'https://shop.example/new',
    })
    expect(again.status).to.equal(200)
    expect(again.body.data.system).to.deep.equal(before.system)
    expect(again.body.data.rule).to.deep.equal({ ...before.rule, url: 'https://shop.example/new' })
    expect((await api.ask('GET', '/api/systems', { key })).body.data).to.have.length(1)
  })

  it('count as another shop with another prefix, and conflict with another site that has the same prefix', async () => {
    const key = await account('other')
    const first = (await connect(key)).body.data
    const second = await connect(key, { payment_prefix: 'WX' })
    expect(second.status).to.equal(201)
    expect(second.body.data.system.id).to.not.equal(first.system.id)
    expect((await connect(key, { site_url: 'https://other.example' })).body.error).to.equal('CONFLICT')
  })

  it('leave nothing behind if they exceed the plan (section 7)', async () => {
    const key = await account('full', 'Free')
    expect((await connect(key)).status).to.equal(201)
    const refused = await connect(key, { payment_prefix: 'ZZ', site_url: 'https://two.example' })
    expect(refused.status).to.equal(403)
    expect(refused.body).to.include({ error: 'WEBHOOK_LIMIT_REACHED', plan: 'Free', limit: 1 })
    expect((await api.ask('GET', '/api/systems', { key })).body.data).to.have.length(1)
    expect((await connect(key)).status, 'the first again').to.equal(200)
  })

  it('have a rule that can be deleted only with its system (section 7: 403)', async () => {
    const key = await account('auto')
    const { system, rule } = (await connect(key)).body.data
    const refused = await api.ask('DELETE', `/api/webhooks/${rule.id}`, { key })
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'AUTO_RULE'])
    expect((await api.ask('DELETE', `/api/systems/${system.id}`, { key })).status).to.equal(200)
    expect((await api.ask('GET', '/api/webhooks', { key })).body.data).to.deep.equal([])
  })

  it('have a rule that stays with its system: without it, it could neither be deleted nor connected again', async () => {
    const key = await account('stays')
    const { rule } = (await connect(key)).body.data
    const other = await connect(key, { payment_prefix: 'WX' })
    for (const system_id of [null, other.body.data.system.id]) {
      const { status, body } = await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: { system_id } })
      expect([status, body.issues?.[0].path]).to.deep.equal([400, 'system_id'])
    }
    const renamed = await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: { ...rule, name: 'renamed' } })
    expect([renamed.status, renamed.body.data.name]).to.deep.equal([200, 'renamed'])
    expect((await connect(key)).body.data.rule.id).to.equal(rule.id)
  })

  it('keep their system while rules of the owner refer to it', async () => {
    const key = await account('kept')
    const { system } = (await connect(key)).body.data
    await api.ask('POST', '/api/webhooks', {
      key,
      json: { name: 'own', url: 'https://own.example/', system_id: system.id },
    })
    expect((await api.ask('DELETE', `/api/systems/${system.id}`, { key })).status).to.equal(409)
  })

  for (const [name, change] of Object.entries({
    'a type nobody knows': { type: 'magento' },
    'a reserved prefix': { payment_prefix: 'MB' },
    "the operator's plan prefix": { payment_prefix: 'BC' },
    'a site that is not an address': { site_url: 'shop' },
    'a webhook that is not an address': { webhook_url: 'shop' },
    'an unknown field': { extra: 1 },
  }))
    it(`are refused with ${name}`, async () => {
      const key = api.owner.api_key
      const { status, body } = await connect(key, change)
      expect([status, body.error]).to.deep.equal([400, 'VALIDATION_FAILED'])
      expect((await api.ask('GET', '/api/systems', { key })).body.data).to.have.length(1)
    })
})

describe('a preview', () => {
  let api: ApiUnderTest
  before(async () => (api = await openApi()))
  after(() => api.close())
  const preview = (json: object) => api.ask('POST', '/api/webhooks/preview', { key: api.owner.api_key, json })

  it('is the body of a sample transaction in each format (section 2.5)', async () => {
    const standard = JSON.parse((await preview({ payload_format: 'standard' })).body.data.body)
    expect(standard).to.include({ event: 'bank_transaction', order_id: 'DH1042', amount: '150000.00' })
    const woocommerce = JSON.parse((await preview({ payload_format: 'woocommerce' })).body.data.body)
    expect(woocommerce).to.include({ payment_method: 'bank_transfer', status: 'completed', order_id: 'DH1042' })
    const custom_template = '{"id":"{{transaction_id}}","memo":"order {{ order_id }}"}'
    const custom = await preview({ payload_format: 'custom', custom_template })
    expect(JSON.parse(custom.body.data.body)).to.deep.equal({ id: 1042, memo: 'order DH1042' })
  })

  it('reports what is wrong with a template', async () => {
    for (const json of [
      { payload_format: 'custom' },
      { payload_format: 'custom', custom_template: '{"a":"{{nothing}}"}' },
      { payload_format: 'custom', custom_template: 'no json' },
    ]) {
      const { status, body } = await preview(json)
      expect([status, body.issues[0].path]).to.deep.equal([400, 'custom_template'])
    }
    expect((await preview({ payload_format: 'xml' })).body.error).to.equal('VALIDATION_FAILED')
  })
})
