/**
 * Attack: a stranger who knows the address of the receiver of alert calls sends alerts to it. Alert calls are signed like the calls of a
 * rule, so a receiver can recognise genuine ones.
 */
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { eventually } from '../harness/eventually.ts'
import { openShop, status, type Shop } from '../harness/shop.ts'

describe('alert calls', () => {
  let api: ApiUnderTest
  let key: string
  let user_id: number
  let rule_id: number
  let shop: Shop
  before(async () => (api = await openApi({}, 'real')))
  after(() => api.close())
  beforeEach(async () => {
    const account = await api.newAccount(`u${await api.nextId()}@shop.vn`)
    key = account.api_key
    user_id = account.user_id
    shop = await openShop()
    const rule = { name: 's', url: 'https://shop.example/hook' }
    rule_id = (await api.ask('POST', '/api/webhooks', { key, json: rule })).body.data.id
  })
  afterEach(() => shop.close())

  const path = '/api/account/alerts'
  const settings = async (): Promise<{ webhook_url: string | null; secret_key: string | null }> =>
    (await api.ask('GET', path, { key })).body.data
  const send = async (webhook_url: string | null): Promise<string> =>
    (await api.ask('PUT', path, { key, json: { webhook_url } })).body.data.secret_key
  const pause = (caused_by = 'x') =>
    api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by } })
  const proved = async (secret: string): Promise<void> => {
    for (const { headers, body } of shop.calls) {
      expect(await verify(secret, body, headers['x-webhook-signature']!)).to.equal(true)
      expect(new Webhook(secret).verify(body, headers)).to.include({ kind: 'rule_paused' })
      expect(await verify('0'.repeat(48), body, headers['x-webhook-signature']!)).to.equal(false)
    }
  }

  it('are signed when an alert begins and when it ends, with the secret that the owner sees', async () => {
    const secret = await send(shop.url)
    expect(await settings()).to.deep.equal({ webhook_url: shop.url, secret_key: secret })
    await pause()
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 1 } })
    await eventually(() => shop.calls.length === 2, { what: 'two calls' })
    await proved(secret)
  })

  it('keep the secret when the address changes, and get a new one after the address was removed', async () => {
    const secret = await send('https://one.example/')
    expect(await send('https://two.example/')).to.equal(secret)
    expect(await send('https://two.example/')).to.equal(secret)
    await send(null)
    expect(await settings()).to.deep.equal({ webhook_url: null, secret_key: null })
    expect(await send('https://two.example/'))
      .to.match(/^[0-9a-f]{48}$/)
      .and.not.equal(secret)
  })

  it('are signed again at every attempt', async () => {
    shop.answer(status(500))
    const secret = await send(shop.url)
    await pause()
    await eventually(() => shop.calls.length === 2, { what: 'the second try' })
    await proved(secret)
    const [first, second] = shop.calls.map(({ headers }) => headers)
    expect(second!['webhook-id']).to.equal(first!['webhook-id'])
    expect([first!['x-webhook-attempt'], second!['x-webhook-attempt']]).to.deep.equal(['1', '2'])
  })

  it('go to the address that is set when each attempt is made', async () => {
    const present = await openShop(status(500))
    shop.answer(status(500))
    await send(shop.url)
    await pause()
    await eventually(() => shop.calls.length === 1, { what: 'the first try' })
    const secret = await send(present.url)
    await eventually(() => shop.calls.length + present.calls.length === 2, { what: 'the second try' })
    await present.close()
    expect(shop.calls).to.have.length(1)
    shop.calls.push(present.calls[0]!)
    await proved(secret)
    expect(shop.calls[1]!.headers).to.include({ 'x-webhook-attempt': '2' })
  })

  it('are signed even if the address was set before calls were signed', async () => {
    await api.decree(user_id, { type: 'AlertWebhookSet', data: { user_id, webhook_url: shop.url } })
    expect(await settings()).to.deep.equal({ webhook_url: shop.url, secret_key: null })
    await pause()
    await eventually(() => shop.calls.length === 1, { what: 'the call' })
    const { secret_key } = await settings()
    await proved(secret_key!)
    expect(await send(shop.url)).to.equal(secret_key)
  })

  it('get a secret when the same address is set again', async () => {
    await api.decree(user_id, { type: 'AlertWebhookSet', data: { user_id, webhook_url: shop.url } })
    expect(await send(shop.url)).to.match(/^[0-9a-f]{48}$/)
  })
})
