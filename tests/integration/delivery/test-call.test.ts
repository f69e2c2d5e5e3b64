import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { openSender } from '../../../adapters/webhook-sender/sender.ts'
import type { Sender } from '../../../domain/ports.ts'
import { sendTest } from '../../../workflows/deliver/test-call.ts'
import { openShop, status, type Shop } from '../../harness/shop.ts'
import { SECRET } from './setting.ts'

describe('the test operation', () => {
  let shop: Shop
  let sender: Sender
  beforeEach(async () => {
    shop = await openShop(status(200, 'thanks'))
    sender = openSender({ allowPrivate: true })
  })
  afterEach(async () => {
    await sender.close()
    await shop.close()
  })

  const tested = (url = shop.url, isSample = false) =>
    sendTest(
      {
        rule_id: 7,
        url,
        http_method: 'PUT',
        payload_format: 'custom',
        custom_template: '{"id":"{{order_id}}","paid":"{{amount}}"}',
      },
      () => ({ secret: SECRET }),
      sender,
      new Date(),
      { signal: new AbortController().signal, isSample },
    )

  it('sends a sample transaction in the format of the rule, marked as a test', async () => {
    expect(await tested(shop.url, true)).to.include({ success: true })
    const [{ body, headers }] = shop.calls as [Shop['calls'][number]]
    expect(JSON.parse(body)).to.deep.equal({ id: 'DH1042', paid: '150000.00' })
    expect(headers['x-webhook-event']).to.equal('test')
    expect(await verify(SECRET, body, headers['x-webhook-signature']!)).to.equal(true)
  })

  it('sends the signed test payload and returns the answer of the shop', async () => {
    const result = await tested()
    expect(result).to.include({ success: true, http_code: 200, response_body: 'thanks' })
    expect(result).to.have.property('response_time_ms').that.is.a('number')
    const [{ method, body, headers }] = shop.calls as [Shop['calls'][number]]
    expect(method).to.equal('PUT')
    expect(JSON.parse(body)).to.include({ event: 'test', currency: 'VND' })
    expect(await verify(SECRET, body, headers['x-webhook-signature']!)).to.equal(true)
    expect(new Webhook(SECRET).verify(body, headers)).to.include({ event: 'test' })
  })

  it('reports a failure with its status, or with 0 and the reason in words', async () => {
    shop.answer(status(500, 'no'))
    const { response_time_ms, ...failed } = (await tested()) as Record<string, unknown>
    expect(failed).to.deep.equal({
      success: false,
      http_code: 500,
      error: 'The endpoint answered 500.',
      response_body: 'no',
    })
    expect(response_time_ms).to.be.a('number')
    expect(await tested('https://nothing.invalid/')).to.deep.include({
      success: false,
      http_code: 0,
      error: 'The name nothing.invalid could not be resolved.',
    })
  })
})
