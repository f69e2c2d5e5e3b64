/** Plans paid by bank transfer (interface, sections 1, 3.1 and 8; decisions, "Plan order" and "Affiliate"). */
import { expect } from 'chai'
import { accountOfEmail } from '../../../workflows/accounts/registration.ts'
import { newToken } from '../../../workflows/accounts/secrets.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { textOfQr } from '../../harness/qr-code.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

const PLANS = { planPrefix: 'BC', planBank: 'VCB', planAccount: '0011000415567', planHolder: 'BAOCO CO LTD' }
const YEAR_MS = 365 * 86_400_000

describe('plans', () => {
  let api: ApiUnderTest
  let payments = 0
  before(async () => (api = await openApi(PLANS, 'real')))
  after(() => api.close())

  const order = (key: string, plan = 'Basic') => api.ask('POST', '/api/plans/order', { key, json: { plan } })
  const accountOf = async (key: string) => (await api.ask('GET', '/api/account', { key })).body.data
  const transaction = async (id: number, key = api.owner.api_key) =>
    (await api.ask('GET', `/api/transactions/${id}`, { key })).body.data

  interface Paid {
    amount?: string
    account?: string
    sign?: string
    token?: string
    at?: Date
  }
  /** Posts the text of a bank about a payment, by default to the personal URL of the operator. */
  const pay = async (memo: string, given: Paid = {}) => {
    const { amount = '600,000', account = PLANS.planAccount, sign = '+', token = api.owner.receive_token } = given
    const number = ++payments
    const text = vietcombankText(number, memo, {
      amount: Number(amount.replaceAll(',', '')),
      at: given.at ?? api.clock.now(),
    }).replace('0011000415567 +', `${account} ${sign}`)
    const answer = await api.ask('POST', `/api/receive/u/${token}`, { json: { text, sender: 'Vietcombank' } })
    expect(answer.status).to.equal(200)
    return answer.body.data as { id: number; webhook_status: string }
  }
  const upgraded = (key: string, plan: string) =>
    eventually(async () => (await accountOf(key)).plan === plan, { what: `the plan ${plan}` })
  const buyer = (name: string) => api.newAccount(`${name}@plans.example`, 'Free')

  it('are listed with their prices and limits', async () => {
    const { api_key } = await buyer('list')
    const { status, body } = await api.ask('GET', '/api/plans', { key: api_key })
    expect(status).to.equal(200)
    const offer = (plan: string, price: string, limits: readonly (number | null)[]) => {
      const [transactions, devices, mail_accounts, webhook_rules, systems] = limits
      return { plan, price, transactions, devices, mail_accounts, webhook_rules, systems }
    }
    expect(body.data).to.deep.equal([
      offer('Free', '0.00', [100, 1, 0, 1, 20]),
      offer('Basic', '600000.00', [5_000, 2, 1, 3, 20]),
      offer('Advanced', '1200000.00', [20_000, 5, 3, 10, 20]),
      offer('Pro', '2000000.00', [null, 10, 10, null, 100]),
    ])
    for (const { plan, price } of body.data.slice(1))
      expect((await order(api_key, plan)).body.data.amount, plan).to.equal(price)
    expect((await api.ask('GET', '/api/plans')).status).to.equal(401)
  })

  it('are ordered with all that a transfer needs, including a VietQR code', async () => {
    const { api_key } = await buyer('order')
    const { status, body } = await order(api_key, 'Advanced')
    expect(status).to.equal(201)
    expect(body.data).to.have.all.keys(
      'order_id',
      'amount',
      'bank_code',
      'account_number',
      'account_name',
      'qr_payload',
      'qr_svg',
    )
    expect(body.data.order_id).to.match(/^BC\d{4,}$/)
    expect(body.data).to.include({
      amount: '1200000.00',
      bank_code: 'VCB',
      account_number: '0011000415567',
      account_name: 'BAOCO CO LTD',
    })
    expect(textOfQr(body.data.qr_svg)).to.equal(body.data.qr_payload)
    expect(body.data.qr_payload).to.include('54071200000').and.include(body.data.order_id).and.include('970436')
    for (const plan of ['Free', 'Gold', '']) expect((await order(api_key, plan)).status).to.equal(400)
  })

  it('are active for 365 days once paid, by a transaction that is plan_upgraded and sends nothing', async () => {
    const { api_key } = await buyer('paid')
    const { order_id } = (await order(api_key)).body.data
    const paid = await pay(order_id)
    expect(paid.webhook_status).to.equal('plan_upgraded')
    await upgraded(api_key, 'Basic')
    const { plan_expires_at, usage } = await accountOf(api_key)
    expect(Date.parse(plan_expires_at) - Date.now()).to.be.within(YEAR_MS - 60_000, YEAR_MS)
    expect(usage.limit).to.equal(5_000)
    await eventually(async () => (await transaction(paid.id))?.webhook_status === 'plan_upgraded')
    expect(await transaction(paid.id)).to.include({ order_id, already_run_of: null })
    expect((await transaction(paid.id)).deliveries).to.deep.equal([])
    const retried = await api.ask('POST', `/api/transactions/${paid.id}/retry`, { key: api.owner.api_key })
    expect(retried.status).to.equal(409)
  })

  it('do not change if an order is paid again, and that payment is already_run', async () => {
    const { api_key } = await buyer('twice')
    const { order_id } = (await order(api_key)).body.data
    const first = await pay(order_id)
    await upgraded(api_key, 'Basic')
    const before = await accountOf(api_key)
    const second = await pay(order_id)
    expect(second.webhook_status).to.equal('already_run')
    await eventually(async () => (await transaction(second.id)) !== undefined)
    expect((await transaction(second.id)).already_run_of).to.equal(first.id)
    expect((await accountOf(api_key)).plan_expires_at).to.equal(before.plan_expires_at)
  })

  it('are paid once if several payments of an order arrive at the same moment', async () => {
    const { api_key } = await buyer('parallel')
    const { order_id } = (await order(api_key)).body.data
    const paid = await Promise.all(Array.from({ length: 5 }, () => pay(order_id)))
    expect(paid.map(({ webhook_status }) => webhook_status).sort()).to.deep.equal([
      'already_run',
      'already_run',
      'already_run',
      'already_run',
      'plan_upgraded',
    ])
    await upgraded(api_key, 'Basic')
    expect(Date.parse((await accountOf(api_key)).plan_expires_at) - Date.now()).to.be.below(YEAR_MS)
  })

  it('are paid, once, by a payment that was old when it arrived, after the operator retries it manually', async () => {
    const { api_key, receive_token } = await buyer('late')
    const { order_id } = (await order(api_key)).body.data
    const at = new Date(Date.now() - 2 * 86_400_000)
    const late = await pay(order_id, { at })
    const second = await pay(order_id, { at: new Date(at.getTime() + 60_000) })
    const small = await pay(order_id, { at: new Date(at.getTime() + 120_000), amount: '599,000' })
    for (const { webhook_status } of [late, second, small]) expect(webhook_status).to.equal('no_match')
    expect((await accountOf(api_key)).plan).to.equal('Free')
    const retry = (id: number, key = api.owner.api_key) => api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect((await retry(late.id, api_key)).status, 'by the buyer').to.equal(404)
    const forged = await pay(order_id, { at, token: receive_token })
    for (const key of [api_key, api.owner.api_key])
      expect((await retry(forged.id, key)).body.message).to.not.match(/pays for the plan order/)
    expect((await accountOf(api_key)).plan).to.equal('Free')
    expect((await retry(small.id)).body.message).to.match(/matches no rule/)
    const answers = await Promise.all([late, second, late, second].map(({ id }) => retry(id)))
    expect(answers.filter(({ body }) => /pays for the plan order/.test(body.message))).to.have.length(1)
    await upgraded(api_key, 'Basic')
    const statuses = async () =>
      (await Promise.all([late, second, small].map(({ id }) => transaction(id)))).map((each) => each.webhook_status)
    await eventually(async () => (await statuses()).sort().join() === 'no_match,no_match,plan_upgraded')
    const { plan_expires_at } = await accountOf(api_key)
    expect(Date.parse(plan_expires_at) - Date.now()).to.be.within(YEAR_MS - 60_000, YEAR_MS)
    for (const { id } of [late, second]) await retry(id)
    expect((await accountOf(api_key)).plan_expires_at).to.equal(plan_expires_at)
    const paid = (await transaction(late.id)).webhook_status === 'plan_upgraded' ? late : second
    expect((await retry(paid.id)).status).to.equal(409)
  })

  for (const [what, isOld] of [
    ['an old copy brought the order id', true],
    ['a copy brought the order id two days later', false],
  ] as const)
    it(`are also paid by a manual retry if ${what}`, async () => {
      const { api_key } = await buyer(isOld ? 'completed' : 'completed-later')
      const { order_id } = (await order(api_key)).body.data
      const now = Date.now()
      const at = new Date(isOld ? now - 2 * 86_400_000 : now)
      const text = vietcombankText(++payments, 'NGUYEN VAN A...', { amount: 600_000, at })
      const path = `/api/receive/u/${api.owner.receive_token}`
      const first = (await api.ask('POST', path, { json: { text, sender: 'Vietcombank' } })).body.data
      if (!isOld) api.clock.at = new Date(now + 2 * 86_400_000)
      const whole = text.replace('NGUYEN VAN A...', `NGUYEN VAN A ${order_id}`)
      const copy = (await api.ask('POST', path, { json: { text: whole, package: 'com.VCB', title: 'VCB' } })).body.data
      api.clock.at = null
      expect(copy.webhook_status).to.equal('already_run')
      await eventually(async () => (await transaction(first.id)).order_id === order_id)
      expect((await accountOf(api_key)).plan).to.equal('Free')
      const { body } = await api.ask('POST', `/api/transactions/${first.id}/retry`, { key: api.owner.api_key })
      expect(body.message).to.match(/pays for the plan order/)
      await upgraded(api_key, 'Basic')
    })

  it('are extended from their current end if the same plan is bought again', async () => {
    const { api_key } = await buyer('renewed')
    await pay((await order(api_key)).body.data.order_id)
    await upgraded(api_key, 'Basic')
    const before = Date.parse((await accountOf(api_key)).plan_expires_at)
    await pay((await order(api_key)).body.data.order_id)
    await eventually(async () => Date.parse((await accountOf(api_key)).plan_expires_at) === before + YEAR_MS)
    await pay((await order(api_key, 'Pro')).body.data.order_id, { amount: '2,000,000' })
    await upgraded(api_key, 'Pro')
    expect(Date.parse((await accountOf(api_key)).plan_expires_at) - Date.now()).to.be.below(YEAR_MS)
  })

  it('are not bought by too small an amount, another account, a debit, another user, or an unknown order', async () => {
    const { api_key, receive_token } = await buyer('not')
    const { order_id } = (await order(api_key)).body.data
    const tried = [
      await pay(order_id, { amount: '599,999' }),
      await pay(order_id, { account: '0099000999999' }),
      await pay(order_id, { sign: '-' }),
      await pay(order_id, { token: receive_token }),
      await pay('BC99999999'),
    ]
    for (const { webhook_status } of tried) expect(webhook_status).to.equal('no_match')
    expect((await accountOf(api_key)).plan).to.equal('Free')
    expect((await pay(order_id)).webhook_status, 'and then by the price').to.equal('plan_upgraded')
  })

  it('become Free again when they have ended', async () => {
    const { api_key } = await buyer('ended')
    await pay((await order(api_key)).body.data.order_id)
    await upgraded(api_key, 'Basic')
    api.clock.at = new Date(Date.now() + YEAR_MS + 60_000)
    const { plan, plan_expires_at, usage } = await accountOf(api_key)
    api.clock.at = null
    expect([plan, plan_expires_at, usage.limit]).to.deep.equal(['Free', null, 100])
  })

  it('earn the referrer of the buyer one commission per paid order', async () => {
    const referrer = await buyer('referrer')
    const { code } = (await api.ask('POST', '/api/affiliate/links', { key: referrer.api_key, json: { label: 'blog' } }))
      .body.data
    const email = 'referred@plans.example'
    await api.ask('POST', '/api/auth/register', { json: { email, password: 'correct horse battery', ref: code } })
    const user_id = await eventually(() => accountOfEmail(api.store, email))
    const { token: key, hash: key_hash } = newToken('api_key', user_id!)
    await api.decree(user_id!, { type: 'EmailVerified', data: { user_id: user_id! } })
    await api.decree(user_id!, { type: 'ApiKeyRotated', data: { user_id: user_id!, key_hash } })

    const earned = async () => (await api.ask('GET', '/api/affiliate', { key: referrer.api_key })).body.data.earned
    const { order_id } = (await order(key, 'Advanced')).body.data
    await pay(order_id, { amount: '1,200,000' })
    await upgraded(key, 'Advanced')
    await eventually(async () => (await earned()) === '240000.00', { what: 'the commission' })
    await pay(order_id, { amount: '1,200,000' })
    await pay((await order(key, 'Advanced')).body.data.order_id, { amount: '1,200,000' })
    await eventually(async () => (await earned()) === '480000.00', { what: 'the commission of the second payment' })
  })

  it('cannot be ordered if the operator has not configured the account to pay to', async () => {
    const other = await openApi()
    try {
      const { status, body } = await other.ask('POST', '/api/plans/order', {
        key: other.owner.api_key,
        json: { plan: 'Basic' },
      })
      expect([status, body.error]).to.deep.equal([409, 'CONFLICT'])
    } finally {
      await other.close()
    }
  })
})
