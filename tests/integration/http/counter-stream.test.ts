/** The live stream of payments for the page of the counter. */
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { captured } from './captured.ts'
import { openListeners } from './stream-listeners.ts'

describe('the stream of the counter', () => {
  let api: ApiUnderTest
  const listeners = openListeners()

  beforeEach(async () => {
    api = await openApi()
  })
  afterEach(async () => {
    listeners.close()
    await api.close()
  })

  const listen = (path: string, headers: Record<string, string> = {}) => listeners.listen(api.url + path, headers)
  const pay = async (user = api.owner.user_id, given: Parameters<typeof captured>[2] = {}): Promise<number> => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, given)])
    return id
  }

  it('contains amounts, times and order ids, starting with the last payments', async () => {
    const key = api.owner.api_key
    const before = await pay()
    await pay((await api.newAccount('beside@example.com')).user_id)
    await pay(api.owner.user_id, { transaction_type: 'debit' })
    const { status, body } = await api.ask('POST', '/api/counter', { key })
    expect([status, body.message]).to.deep.equal([201, 'The counter link works now.'])
    expect(body.data.url).to.match(/\/counter\/bcc_/)
    const { sent } = await listen(`/counter/${body.data.token}/stream`)
    const after = await pay()
    await pay(api.owner.user_id, { transaction_type: 'debit' })
    await pay(api.owner.user_id, { webhook_status: 'already_run', already_run_of: after })
    const last = await pay()
    await eventually(() => sent.length === 3)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([before])
    expect(sent.slice(1).map(({ data }) => data.id)).to.deep.equal([after, last])
    for (const shown of [...sent[0]!.data.payments, sent[1]!.data])
      expect(shown).to.have.all.keys('id', 'amount', 'currency', 'order_id', 'at')
    // The page opens the stream again, which begins with the payments that are left.
    await api.ask('DELETE', `/api/transactions/${last}`, { key })
    await eventually(() => sent.length === 4)
    expect(sent[3]).to.deep.include({ event: 'reset', data: {} })
    const again = await listen(`/counter/${body.data.token}/stream`)
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([after, before])
  })

  it('has the order id that only a copy of the notification brings', async () => {
    const user = api.owner.user_id
    const payment = await pay(user, { order_id: null, prefix: null, webhook_status: 'skipped' })
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await eventually(() => sent.length === 1)
    expect(sent[0]!.data.payments[0]).to.deep.include({ id: payment, order_id: null })
    const brought = { order_id: 'DH1042', prefix: 'DH', rules: [] as number[], webhook_status: 'no_match' } as const
    const copy = await pay(user, { webhook_status: 'already_run', already_run_of: payment })
    await api.happened(user, payment, [
      { type: 'TransactionCompleted', data: { transaction_id: payment, completed_by: copy, ...brought } },
    ])
    await eventually(() => sent.length === 2)
    expect(sent[1]!.event).to.equal('reset')
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.data.payments[0]).to.deep.include({ id: payment, order_id: 'DH1042' })
  })

  it('has no payment that was held back, until its owner counts it, nor money that came back', async () => {
    const user = api.owner.user_id
    const ofStranger = await pay(user, { held: 'unconfirmed_account' })
    const before = await pay()
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await pay(user, { held: 'unconfirmed_account', order_id: null, prefix: null, webhook_status: 'skipped' })
    const old = await pay(user, { held: 'old_notification' })
    const returned = {
      prefix: null,
      webhook_status: 'no_match',
      content: 'HOAN TRA GD CHUYEN TIEN SAI STK DH1042',
    } as const
    await pay(user, returned)
    const after = await pay()
    await eventually(() => sent.length === 2)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([before])
    expect(sent[1]!.data.id).to.equal(after)
    const matched = {
      rematched: true,
      order_id: 'DH1042',
      prefix: 'DH',
      rules: [] as number[],
      webhook_status: 'no_match',
    } as const
    const confirmed = { transaction_id: ofStranger, by: 'bulk', ...matched, released: true } as const
    await api.happened(user, ofStranger, [{ type: 'WebhookRetryRequested', data: confirmed }])
    await eventually(() => sent.length === 3)
    const byHand = { transaction_id: old, by: 'manual', ...matched } as const
    await api.happened(user, old, [{ type: 'WebhookRetryRequested', data: byHand }])
    await eventually(() => sent.length === 4)
    expect(sent.slice(2).map(({ event }) => event)).to.deep.equal(['reset', 'reset'])
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    const shown = again.sent[0]!.data.payments.map(({ id }: { id: number }) => id)
    expect(shown).to.deep.equal([after, old, before, ofStranger])
  })

  it('has no payment to a bank account that its owner has switched off', async () => {
    const { api_key: key, user_id: user } = api.owner
    const bank_account_id = await api.nextId()
    const named = { bank_code: 'VCB', account_number: '0011000415567' }
    const before = await pay()
    await api.decree(user, {
      type: 'BankAccountSeen',
      data: { user_id: user, bank_account_id, transaction_id: before, ...named },
    })
    const { token } = (await api.ask('POST', '/api/counter', { key })).body.data
    const first = await listen(`/counter/${token}/stream`)
    await eventually(() => first.sent.length === 1)
    await api.ask('PUT', `/api/bank-accounts/${bank_account_id}`, { key, json: { is_active: 0 } })
    // The page opens the stream again.
    await eventually(() => first.sent.length === 2)
    const { sent } = await listen(`/counter/${token}/stream`)
    await pay()
    await pay(user, { order_id: null, prefix: null, webhook_status: 'skipped' })
    const ofShop = await pay(user, { account_number: '99887766', webhook_status: 'pending', rules: [5] })
    const unmatched = await pay(user, { account_number: '99887766' })
    const ofOtherBank = await pay(user, { bank_code: 'BIDV' })
    await eventually(() => sent.length === 6)
    expect(first.sent.map(({ event }) => event).slice(0, 2)).to.deep.equal(['payments', 'reset'])
    expect(sent.map(({ event }) => event).slice(0, 5)).to.deep.equal([
      'payments',
      'reset',
      'reset',
      'transaction',
      'reset',
    ])
    expect([sent[0]!.data.payments, sent[3]!.data.id]).to.deep.equal([[], ofShop])
    // No bank account there is switched off, so the page need not start over.
    expect([sent[5]!.event, sent[5]!.data.id]).to.deep.equal(['transaction', ofOtherBank])
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    const shown = again.sent[0]!.data.payments
    expect(shown.map(({ id }: { id: number }) => id)).to.deep.equal([ofOtherBank, unmatched, ofShop])
    for (const each of shown) expect(each).to.have.all.keys('id', 'amount', 'currency', 'order_id', 'at')
  })

  it('begins with the last payments, although very many messages of a restored phone came later', async () => {
    const user = api.owner.user_id
    const payment = await pay()
    await Promise.all(Array.from({ length: 60 }, () => pay(user, { held: 'old_notification' })))
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await eventually(() => sent.length === 1)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([payment])
  })

  it('needs its token, which opens nothing else and is invalid once there is a new one', async () => {
    const key = api.owner.api_key
    const { token } = (await api.ask('POST', '/api/counter', { key })).body.data
    const page = await api.ask('GET', `/counter/${token}`)
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'").and.not.include('unsafe')
    expect(page.headers.get('cache-control')).to.equal('no-store')
    expect((await api.ask('GET', '/api/transactions', { key: token })).status).to.equal(401)
    const { sent, isEnded } = await listen(`/counter/${token}/stream`)
    const next = await api.ask('POST', '/api/counter', { key })
    expect([next.status, next.body.message]).to.deep.equal([201, 'The earlier counter link has ended.'])
    await eventually(() => isEnded(), { what: 'the end' })
    expect(sent.at(-1)).to.deep.include({ event: 'end', data: { reason: 'credentials' } })
    for (const path of [
      `/counter/${token}`,
      `/counter/${token}/stream`,
      '/counter/x',
      '/counter/bcc_1.aaaaaaaaaaaaaaaa',
    ])
      expect((await api.ask('GET', path)).status, path).to.equal(404)
  })
})
