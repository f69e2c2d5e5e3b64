import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { signedHeaders, webhookIdOf } from '../../../../domain/webhook/signature.ts'

const secret = '0123456789abcdef0123456789abcdef0123456789abcdef'
const body = '{"description":"Chuyển tiền 🧧","amount":"150000.00"}'

const headers = (previous: string | null = null) =>
  signedHeaders({
    secret,
    previous,
    body,
    webhookId: webhookIdOf(1042, 7),
    timestamp: Math.floor(Date.now() / 1000),
    attempt: 3,
  })

describe('the signature', () => {
  it('is verified as HMAC-SHA256 over the raw body by an independent library', async () => {
    const signature = headers()['x-webhook-signature']!
    expect(signature).to.match(/^sha256=[0-9a-f]{64}$/)
    expect(await verify(secret, body, signature)).to.equal(true)
    expect(await verify(secret, body.replace('150000', '950000'), signature)).to.equal(false)
  })

  it('is verified as Standard Webhooks with the unchanged secret', () => {
    expect(new Webhook(secret).verify(body, headers())).to.deep.equal(JSON.parse(body))
    expect(() => new Webhook(secret).verify(`${body} `, headers())).to.throw()
  })

  it('is made with the previous secret during a rotation, and with both secrets as Standard Webhooks', async () => {
    const previous = 'fedcba9876543210fedcba9876543210fedcba9876543210'
    const rotating = headers(previous)
    expect(await verify(previous, body, rotating['x-webhook-signature']!)).to.equal(true)
    for (const each of [secret, previous])
      expect(new Webhook(each).verify(body, rotating)).to.deep.equal(JSON.parse(body))
    // The newest secret's signature is the first.
    const at = new Date(Number(rotating['webhook-timestamp']) * 1_000)
    expect(rotating['webhook-signature']!.split(' ')[0]).to.equal(new Webhook(secret).sign('msg_1042_7', at, body))
  })

  it('is sent with the service, the delivery and the attempt in the headers', () =>
    expect(headers()).to.include({
      'content-type': 'application/json',
      'x-webhook-source': 'baoco',
      'x-webhook-attempt': '3',
      'webhook-id': 'msg_1042_7',
    }))
})
