/** Tests the reference receiver (interface, sections 3.2, 4.4, 5, 6 and 7). */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createReceiver } from '../../../adapters/receiver/receiver.ts'
import { vietQr } from '../../../domain/vietqr/payload.ts'
import { textOfQr } from '../../harness/qr-code.ts'

const SECRET = '0123456789abcdef'.repeat(3)
const bank = { bank_code: 'ACB', account_number: '257678859', account_holder: 'NGUYEN VAN A' }

describe('the reference receiver', () => {
  let server: Server
  let url: string
  beforeEach(async () => {
    server = createReceiver({ secret: SECRET, prefix: 'DH', bank })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
  })

  const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
  }
  const signatureOf = (body: string, secret = SECRET) =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const call = (payload: object | string, signature?: string) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return ask('POST', '/webhook', body, { 'x-webhook-signature': signature ?? signatureOf(body) })
  }
  const newOrder = async () => (await ask('POST', '/orders', JSON.stringify({ product_code: 'DEMO' }))).body
  const payment = (order_id: string, change: object = {}) => ({
    event: 'bank_transaction', bank_code: 'ACB', transaction_type: 'credit', amount: '10000.00', currency: 'VND', order_id,
    transaction_id: 7, timestamp: Math.floor(Date.now() / 1000), ...change,
  }) // prettier-ignore
  const show = (orderId: string) => ask('GET', `/orders/${orderId}`)

  it('creates an order with a VietQR code that it draws itself (4.4)', async () => {
    const { status, body } = await ask('POST', '/orders', JSON.stringify({ product_code: 'DEMO' }))
    expect(status).to.equal(201)
    expect(body).to.include({
      amount: 10_000,
      product_name: 'Demo product',
      bank_code: 'ACB',
      bank_account: '257678859',
      bank_holder: 'NGUYEN VAN A',
    })
    expect(body.order_id).to.match(/^DH\d{4,}$/)
    expect(body.qr_payload).to.equal(vietQr({ ...bank, amount: 10_000, content: body.order_id }))
    expect(textOfQr(body.qr_svg)).to.equal(body.qr_payload)
    const picture = await ask('GET', new URL(body.qr_url).pathname)
    expect(picture.headers.get('content-type')).to.equal('image/svg+xml')
    expect(textOfQr(picture.text)).to.equal(body.qr_payload)
  })

  it('refuses unknown products (7)', async () => {
    for (const body of ['{"product_code":"OTHER"}', '{"product_code":"toString"}', '{}', 'no json', '']) {
      const answer = await ask('POST', '/orders', body)
      expect([answer.status, Object.keys(answer.body)]).to.deep.equal([400, ['error']])
    }
  })

  it('shows an order as pending, and then as paid (3.2, 4.4)', async () => {
    const [one, other] = [await newOrder(), await newOrder()]
    expect((await show(one.order_id)).body).to.deep.equal({ status: 'pending', paid_at: null, amount: 10_000 })
    const paid = await call(payment(other.order_id))
    expect([paid.status, paid.body]).to.deep.equal([200, { ok: true }])
    const { status, paid_at } = (await show(other.order_id)).body
    expect(status).to.equal('paid')
    expect(Date.parse(paid_at)).to.be.closeTo(Date.now(), 10_000)
  })

  it('keeps an order paid through further calls, of any kind (3.2)', async () => {
    const { order_id } = await newOrder()
    await call(payment(order_id))
    for (const change of [{}, { transaction_id: 8 }, { amount: '1.00' }])
      expect((await call(payment(order_id, change))).body).to.deep.equal({ ok: true, already_paid: true })
  })

  it('keeps an order pending if the amount is too small, and marks it paid from the price upwards (3.2)', async () => {
    const { order_id } = await newOrder()
    expect((await call(payment(order_id, { amount: '9999.99' }))).body).to.deep.equal({ ok: true })
    expect((await call(payment(order_id, { amount: '10000.01' }))).body).to.deep.equal({ ok: true })
    expect((await show(order_id)).body.status).to.equal('paid')
  })

  it('refuses calls without a signature over exactly these bytes (5, 7)', async () => {
    const { order_id } = await newOrder()
    const body = JSON.stringify(payment(order_id))
    const refused = [
      await ask('POST', '/webhook', body),
      await call(body, ''),
      await call(body, signatureOf(body, 'another secret')),
      await call(body, signatureOf(`${body} `)),
      await call(body, signatureOf(body).slice(7)),
      await call(body, signatureOf(body).toUpperCase()),
      await call(body, `${signatureOf(body)}0`),
    ]
    for (const { status, body } of refused) expect([status, Object.keys(body)]).to.deep.equal([401, ['error']])
    expect((await show(order_id)).body.status).to.equal('pending')
    const spaced = JSON.stringify(payment(order_id), null, 2)
    expect((await call(spaced)).body).to.deep.equal({ ok: true })
  })

  it('refuses calls without a timestamp or with one more than 5 minutes off', async () => {
    const { order_id } = await newOrder()
    const now = Math.floor(Date.now() / 1000)
    for (const timestamp of [now - 310, now + 310, undefined, String(now)])
      expect((await call(payment(order_id, { timestamp }))).status).to.equal(401)
    expect((await call(payment(order_id, { timestamp: now - 280 }))).status).to.equal(200)
  })

  it('refuses unknown orders (6, 7)', async () => {
    for (const order_id of ['DH1', '__proto__', undefined]) {
      const answer = await call(payment(order_id as string))
      expect([answer.status, Object.keys(answer.body)]).to.deep.equal([404, ['error']])
    }
    expect((await show('DH1')).status).to.equal(404)
  })

  it('answers ok to tests, debits and other currencies, and marks nothing paid', async () => {
    const { order_id } = await newOrder()
    for (const change of [{ event: 'test' }, { transaction_type: 'debit' }, { currency: 'USD' }])
      expect((await call(payment(order_id, change))).body).to.deep.equal({ ok: true })
    const sample = JSON.stringify(payment(order_id))
    const marked = { 'x-webhook-signature': signatureOf(sample), 'x-webhook-event': 'test' }
    expect((await ask('POST', '/webhook', sample, marked)).body).to.deep.equal({ ok: true })
    expect((await show(order_id)).body.status).to.equal('pending')
  })

  it('answers a page at most once in two seconds (6)', async () => {
    const [one, other] = [await newOrder(), await newOrder()]
    expect((await show(one.order_id)).status).to.equal(200)
    const soon = await show(one.order_id)
    expect([soon.status, soon.headers.get('retry-after')]).to.deep.equal([429, '2'])
    expect((await show(other.order_id)).status, 'another order').to.equal(200)
    expect((await ask('GET', `/orders/${one.order_id}/qr.svg`)).status, 'its picture').to.equal(200)
  })

  it('refuses malformed requests with the right status', async () => {
    expect((await call('no json')).status).to.equal(400)
    expect((await call('[]')).status).to.equal(400)
    for (const path of ['/webhook', '//', '//:0', '//orders/DH1?a'])
      expect((await ask('GET', path)).status, path).to.equal(404)
    const { order_id } = await newOrder()
    expect((await call(payment(order_id, { amount: 'much' }))).status).to.equal(400)
  })
})
