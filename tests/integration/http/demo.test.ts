/** The demo (interface, section 4.5; decisions, "Demo"). */
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('the demo', () => {
  let api: ApiUnderTest
  before(async () => (api = await openApi()))
  after(() => api.close())
  const parse = (json: object) => api.ask('POST', '/api/demo/parse', { json })

  const text =
    'SD TK 0011000415567 +150,000VND luc 05-01-2026 09:30:00. SD 2,150,000VND. Ref MBVCB.900000001.CT CHO DON WEB77'

  it('parses a text without credentials, with the given prefixes, and stores nothing', async () => {
    const before = await api.store.end()
    const { status, body } = await parse({ text, sender: 'Vietcombank', prefixes: ['web'] })
    expect(status).to.equal(200)
    expect(body.data.reason).to.equal(null)
    expect(body.data.transaction).to.include({
      bank_code: 'VCB', bank_name: 'Vietcombank', transaction_type: 'credit', amount: '150000.00', currency: 'VND',
      account_number: '0011000415567', balance_after: '2150000.00', transaction_date: '2026-01-05T02:30:00.000Z',
      transaction_date_source: 'printed', description: text, order_id: 'WEB77',
    }) // prettier-ignore
    expect(body.data.transaction).to.have.all.keys(
      'bank_code', 'bank_name', 'transaction_type', 'amount', 'currency', 'account_number', 'account_name',
      'balance_after', 'transaction_ref', 'transaction_date', 'transaction_date_source', 'counterpart_account',
      'counterpart_name', 'counterpart_bank', 'description', 'content', 'order_id',
    ) // prettier-ignore
    expect(await api.store.end()).to.equal(before)
  })

  it('parses the text whether the sender is trusted or not', async () => {
    expect((await parse({ text, sender: '0909000111' })).body.data.transaction.amount).to.equal('150000.00')
  })

  it('returns the reason if a text is not a transaction', async () => {
    expect((await parse({ text: '123456 la ma OTP cua quy khach. Khong chia se.' })).body.data).to.deep.equal({
      transaction: null,
      reason: 'otp',
    })
    expect((await parse({ text: '' })).body.data.reason).to.equal('empty')
    expect((await parse({ text: 'hom nay troi dep' })).body.data).to.include({ transaction: null })
  })

  it('refuses a malformed request', async () => {
    for (const json of [{}, { text: 5 }, { text: 'x', extra: 1 }, { text: 'x', prefixes: ['?'] }])
      expect((await parse(json)).body.error).to.equal('VALIDATION_FAILED')
  })

  it('signs a body byte for byte, as deliveries are signed (section 5)', async () => {
    const secret = '0123456789abcdef'.repeat(3)
    const body = '{ "amount": "150000.00",  "memo": "chuyển khoản" }\n'
    const answer = await api.ask('POST', '/api/demo/sign', { json: { body, secret } })
    const { headers } = answer.body.data
    expect(headers).to.include({ 'X-Webhook-Source': 'baoco', 'Content-Type': 'application/json' })
    expect(await verify(secret, body, headers['X-Webhook-Signature'])).to.equal(true)
    expect(await verify(secret, body.trim(), headers['X-Webhook-Signature'])).to.equal(false)
    expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body))
    for (const json of [{ body }, { body: {}, secret }, { body, secret: '' }])
      expect((await api.ask('POST', '/api/demo/sign', { json })).body.error).to.equal('VALIDATION_FAILED')
  })
})
