/**
 * Attack: somebody has seen a rule's secret. The owner replaces it without losing a call: for 24 hours both secrets sign, and the owner
 * ends
 * that period once the shop has the new one.
 */
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { isGenuine } from '../../adapters/receiver/verify.ts'
import { DAY_MS } from '../../domain/time.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'
import { remakeRequests } from '../../workflows/deliver/remake-request.ts'
import { openDeliverySetting, SECRET, USER, vault, type DeliverySetting } from '../integration/delivery/setting.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { openShop, status, type ReceivedCall, type Shop } from '../harness/shop.ts'

const NEW = 'fedcba9876543210fedcba9876543210fedcba9876543210'

/** The secrets that verify a call, by `X-Webhook-Signature` and by Standard Webhooks. */
const verifies = ({ headers, body }: Pick<ReceivedCall, 'headers' | 'body'>, secrets: Record<string, string>) => {
  const standard = (secret: string): boolean => {
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch {
      return false
    }
  }
  const named = (holds: (secret: string) => boolean) => Object.keys(secrets).filter((name) => holds(secrets[name]!))
  return {
    own: named((secret) => isGenuine(Buffer.from(body), headers['x-webhook-signature'], secret)),
    standard: named(standard),
  }
}

describe('the rotation of a rule’s secret', () => {
  describe('over the API', () => {
    let api: ApiUnderTest
    let key: string
    let shop: Shop
    let rule: { id: number; secret_key: string }
    let path: string
    before(async () => {
      api = await openApi()
      shop = await openShop()
    })
    after(async () => {
      await api.close()
      await shop.close()
    })
    beforeEach(async () => {
      api.clock.at = null
      shop.calls.length = 0
      key = (await api.newAccount(`u${await api.nextId()}@shop.vn`)).api_key
      rule = (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url: shop.url } })).body.data
      path = `/api/webhooks/${rule.id}/secret/rotate`
    })

    const rotate = (json?: object) => api.ask('POST', path, { key, ...(json && { json }) })
    const listed = async () => (await api.ask('GET', '/api/webhooks', { key })).body.data[0]
    const testCall = async () => {
      await api.ask('POST', `/api/webhooks/${rule.id}/test`, { key })
      return shop.calls.at(-1)!
    }

    it('returns the new secret, and signs with both, the new one first', async () => {
      const { status: code, body } = await rotate()
      expect(code).to.equal(200)
      const { secret_key, previous_until } = body.data
      expect(secret_key)
        .to.match(/^[0-9a-f]{48}$/)
        .and.not.equal(rule.secret_key)
      expect(Date.parse(previous_until) - Date.now()).to.be.within(DAY_MS - 60_000, DAY_MS)
      expect(await listed()).to.include({ secret_key, previous_until })
      const call = await testCall()
      const secrets = { new: secret_key, old: rule.secret_key }
      expect(verifies(call, secrets)).to.deep.equal({ own: ['old'], standard: ['new', 'old'] })
      const [first, second, ...more] = call.headers['webhook-signature']!.split(' ')
      expect(more).to.deep.equal([])
      const only = (signature: string) => ({ ...call, headers: { ...call.headers, 'webhook-signature': signature } })
      expect(verifies(only(first!), secrets).standard).to.deep.equal(['new'])
      expect(verifies(only(second!), secrets).standard).to.deep.equal(['old'])
    })

    it('is refused while another is in progress, and ends after 24 hours', async () => {
      const { secret_key } = (await rotate()).body.data
      const again = await rotate({})
      expect([again.status, again.body.error]).to.deep.equal([409, 'CONFLICT'])
      expect((await listed()).secret_key).to.equal(secret_key)
      api.clock.at = new Date(Date.now() + DAY_MS + 1_000)
      expect(await listed()).to.include({ secret_key, previous_until: null })
      expect((await rotate({ finish: true })).status).to.equal(409)
      const third = (await rotate()).body.data.secret_key
      expect(new Set([rule.secret_key, secret_key, third])).to.have.lengthOf(3)
    })

    it('ends at once if the owner finishes it', async () => {
      expect((await rotate({ finish: true })).status).to.equal(409)
      const { secret_key } = (await rotate()).body.data
      const finished = await rotate({ finish: true })
      expect(finished.body).to.deep.equal({ success: true, data: { secret_key, previous_until: null } })
      const call = await testCall()
      expect(call.headers['webhook-signature']).not.to.include(' ')
      expect(verifies(call, { new: secret_key, old: rule.secret_key })).to.deep.equal({
        own: ['new'],
        standard: ['new'],
      })
      expect((await rotate({ finish: true })).status).to.equal(409)
    })

    it('is allowed only for the owner, and refuses unknown fields', async () => {
      const other = (await api.newAccount(`u${await api.nextId()}@shop.vn`)).api_key
      expect((await api.ask('POST', path, { key: other })).status).to.equal(404)
      expect((await api.ask('POST', path, {})).status).to.equal(401)
      for (const json of [{ finish: false }, { finish: 1 }, { secret_key: NEW }])
        expect((await rotate(json)).status).to.equal(400)
      expect((await listed()).secret_key).to.equal(rule.secret_key)
    })

    it('allows sending a rule back as it was listed', async () => {
      await rotate()
      expect((await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: await listed() })).status).to.equal(200)
    })

    it('ends when the shop’s plugin connects again, which receives the new secret', async () => {
      const json = { type: 'custom', site_url: 'https://s.example', webhook_url: shop.url, payment_prefix: 'SHOP' }
      const connect = async () => (await api.ask('POST', '/api/systems/connect', { key, json })).body.data.rule
      rule = await connect()
      path = `/api/webhooks/${rule.id}/secret/rotate`
      const { secret_key } = (await rotate()).body.data
      expect(await connect()).to.include({ secret_key, previous_until: null })
      expect(verifies(await testCall(), { new: secret_key, old: rule.secret_key }).own).to.deep.equal(['new'])
    })

    it('lets an inbox recognise genuine calls at every step', async () => {
      const { body } = await api.ask('POST', '/api/inbox', { key, json: {} })
      await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: { url: body.data.url } })
      const verified = async (): Promise<boolean> => {
        await api.ask('POST', `/api/webhooks/${rule.id}/test`, { key })
        return (await api.ask('GET', '/api/inbox', { key })).body.data[0].calls[0].verified
      }
      await rotate()
      expect(await verified()).to.equal(true)
      await rotate({ finish: true })
      expect(await verified()).to.equal(true)
      const old = signedHeaders({ secret: rule.secret_key, body: '{}', webhookId: 'x', timestamp: 1, attempt: 1 })
      await fetch(api.url + new URL(body.data.url).pathname, { method: 'POST', headers: old, body: '{}' })
      expect((await api.ask('GET', '/api/inbox', { key })).body.data[0].calls[0].verified).to.equal(false)
    })
  })

  describe('in deliveries', () => {
    let setting: DeliverySetting
    beforeEach(async () => (setting = await openDeliverySetting()))
    afterEach(() => setting.close())

    it('signs each attempt with the secrets valid at its time, and shows it so later', async () => {
      const shop = await setting.shop(status(200))
      const rule_id = await setting.rule(shop.url)
      await setting.worker()
      const secrets = { new: NEW, old: SECRET }
      const deliver = async () => {
        const [transaction] = await setting.capture([rule_id])
        await setting.untilStatus(transaction!, 'success')
        return transaction!
      }
      const rotated = (previous_until: Date) =>
        setting.account(USER, {
          type: 'RuleSecretRotated',
          data: {
            user_id: USER,
            rule_id,
            sealed_secret: vault.seal(NEW),
            sealed_previous: vault.seal(SECRET),
            previous_until: previous_until.toISOString(),
          },
        })
      const delivered = [await deliver()]
      await rotated(new Date(Date.now() + DAY_MS))
      delivered.push(await deliver())
      await setting.account(USER, { type: 'RuleSecretRotationFinished', data: { user_id: USER, rule_id } })
      delivered.push(await deliver())
      await rotated(new Date(Date.now() - 1_000))
      delivered.push(await deliver())
      expect(shop.calls.map((call) => verifies(call, secrets))).to.deep.equal([
        { own: ['old'], standard: ['old'] },
        { own: ['old'], standard: ['new', 'old'] },
        { own: ['new'], standard: ['new'] },
        { own: ['new'], standard: ['new'] },
      ])
      for (const [index, transaction] of delivered.entries()) {
        const [remade] = [...(await remakeRequests({ store: setting.store, vault }, USER, transaction)).values()]
        expect(shop.calls[index]!.headers).to.deep.include(remade!.headers)
      }
    })
  })
})
