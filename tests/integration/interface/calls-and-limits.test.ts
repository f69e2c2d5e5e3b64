/** Tests sections 5 to 7 of the interface on a running API: calls, retries and limits. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { OWNERS_PASSWORD } from '../http/api-under-test.ts'
import { delayBeforeRetry, RETRY_SCHEDULE } from '../../../domain/webhook/retry-schedule.ts'
import { type Shop } from '../../harness/shop.ts'
import { openInterface } from './setting.ts'

describe('the interface, sections 3 to 7', () => {
  const on = openInterface()
  const { get, post, transaction } = on

  describe('the call of the test operation', () => {
    let call: Shop['calls'][number]
    let payload: Record<string, unknown>
    let secret: string
    before(async () => {
      const { body } = await post('/api/webhooks', { name: 'tested', url: on.shop.url, http_method: 'PUT' })
      secret = body.data.secret_key
      await post(`/api/webhooks/${body.data.id}/test`)
      call = on.shop.calls.at(-1)!
      payload = JSON.parse(call.body) as Record<string, unknown>
    })

    for (const [field, type] of [
      ['event', 'string'],
      ['bank_code', 'string'],
      ['bank_name', 'string'],
      ['transaction_type', 'string'],
      ['amount', 'number'],
      ['currency', 'string'],
      ['description', 'string'],
      ['timestamp', 'number'],
    ] as const)
      it(`§2.5 test payload: ${field} — ${type}`, () => expect(payload[field]).to.be.a(type))
    it('§2.5 test payload: no other fields; event test, timestamp in Unix seconds', () => {
      expect(Object.keys(payload)).to.have.lengthOf(8)
      expect(payload.event).to.equal('test')
      expect(Math.abs((payload.timestamp as number) - Date.now() / 1000)).to.be.lessThan(600)
    })
    it('§5 X-Webhook-Signature — sha256= and the HMAC-SHA256 of the raw body, keyed with the secret, in lower case', () => {
      const digest = createHmac('sha256', secret).update(call.body).digest('hex')
      expect(call.headers['x-webhook-signature']).to.equal(`sha256=${digest}`)
    })
    it('§5 X-Webhook-Source — a constant that names the service', () =>
      expect(call.headers['x-webhook-source']).to.equal('baoco'))
    it('§5 Content-Type: application/json', () => expect(call.headers['content-type']).to.match(/^application\/json/))
    it('§6 the request uses the rule’s http_method and url', () =>
      expect([call.method, call.path]).to.deep.equal(['PUT', new URL(on.shop.url).pathname]))
  })

  it('§5 the JWT and the API key give the same access', async () => {
    const { body } = await on.api.ask('POST', '/api/auth/login', {
      json: { email: on.api.owner.email, password: OWNERS_PASSWORD },
    })
    const byToken = await on.api.ask('GET', '/api/webhooks', { headers: { authorization: `Bearer ${body.token}` } })
    expect(byToken.body).to.deep.equal((await get('/api/webhooks')).body)
  })
  it('§5 the JWT is valid for 7 days', async () => {
    const { body } = await on.api.ask('POST', '/api/auth/login', {
      json: { email: on.api.owner.email, password: OWNERS_PASSWORD },
    })
    const { iat, exp } = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString()) as {
      iat: number
      exp: number
    }
    expect(exp - iat).to.equal(7 * 86_400)
  })
  it('§5 rotation of the key invalidates the old one at once', async () => {
    const { api_key } = await on.api.newAccount('rotates@example.com')
    const { body } = await post('/api/account/api-key/rotate', undefined, api_key)
    expect((await get('/api/account', api_key)).status).to.equal(401)
    expect((await get('/api/account', body.data.api_key as string)).status).to.equal(200)
  })

  it('§6.3 up to 6 retries, with increasing delays from 1 minute to 24 hours', () => {
    expect(RETRY_SCHEDULE).to.have.lengthOf(6)
    expect([RETRY_SCHEDULE[0], RETRY_SCHEDULE.at(-1)]).to.deep.equal([60, 86_400])
    expect([...RETRY_SCHEDULE].sort((a, b) => a - b)).to.deep.equal(RETRY_SCHEDULE)
    const failed = { tryOfRound: 7, http_status: 500, retry_after_s: null }
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed, 0.5)).to.equal(null)
  })

  // --- 7 -----------------------------------------------------------------------------------------------------------

  it('§7 403 beyond the plan’s rules: {success, error: WEBHOOK_LIMIT_REACHED, plan, limit}', async () => {
    const { api_key } = await on.api.newAccount('small@example.com', 'Free')
    expect((await post('/api/webhooks', { name: 'a', url: on.shop.url }, api_key)).status).to.equal(201)
    const { status, body } = await post('/api/webhooks', { name: 'b', url: on.shop.url }, api_key)
    expect(status).to.equal(403)
    expect(body).to.deep.include({ success: false, error: 'WEBHOOK_LIMIT_REACHED', plan: 'Free', limit: 1 })
  })
  it('§7 403 for deletion of a rule with is_auto=1', async () => {
    const connected = await post('/api/systems/connect', {
      type: 'woocommerce',
      site_url: 'https://auto.example',
      webhook_url: on.shop.url,
      payment_prefix: 'AUTO',
    })
    expect(connected.body.data.rule.is_auto).to.equal(1)
    const deleted = await on.api.ask('DELETE', `/api/webhooks/${connected.body.data.rule.id}`, { key: on.key })
    expect([deleted.status, deleted.body.error]).to.deep.equal([403, 'AUTO_RULE'])
  })
  it('§7 404 for a transaction that is unknown or belongs to another user', async () => {
    const other = await on.api.newAccount('stranger@example.com')
    const id = await transaction('skipped')
    expect((await get('/api/transactions/999999999')).status).to.equal(404)
    expect((await get(`/api/transactions/${id}`, other.api_key)).status).to.equal(404)
  })
  it('§7 errors have success: false', async () => {
    for (const got of [
      await get('/api/nothing'),
      await get('/api/webhooks/1/logs', 'bad'),
      await post('/api/webhooks', {}),
    ])
      expect(got.body).to.include({ success: false }).and.to.have.property('error')
  })
})
