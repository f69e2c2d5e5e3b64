import { expect } from 'chai'
import type { PlanOrderEvent } from '../../../../domain/plan-order/events.ts'
import { read } from '../../../../domain/reader/reader.ts'
import {
  evolve,
  namedPlanOrder,
  orderPlan,
  payPlan,
  planAccountOf,
  type PlanOrder,
} from '../../../../domain/plan-order/plan-order.ts'

const at = new Date('2026-11-20T03:00:00.000Z')
const plans = { prefix: 'BC', bank_code: 'VCB', account_number: '0011000415567', account_name: 'OPERATOR' }

const given = (...events: PlanOrderEvent[]): PlanOrder => events.reduce<PlanOrder>(evolve, null)
const ordered = orderPlan('Basic', { plan_order_id: 42, user_id: 7, prefix: 'BC', at })
const pay = (order: PlanOrder, transaction_id: number, amount: string) => payPlan(order, { transaction_id, amount, at })

describe('a plan order', () => {
  it('contains the price of the plan, and an order id with at least four digits for the payer (section 8)', () => {
    expect(ordered[0].data).to.deep.equal({
      plan_order_id: 42,
      order_id: 'BC0042',
      user_id: 7,
      plan: 'Basic',
      amount: '600000.00',
      ordered_at: at.toISOString(),
    })
    const prices = (['Advanced', 'Pro'] as const).map(
      (plan) => orderPlan(plan, { plan_order_id: 123_456, user_id: 7, prefix: 'BC', at })[0].data,
    )
    expect(prices.map(({ amount, order_id }) => [amount, order_id])).to.deep.equal([
      ['1200000.00', 'BC123456'],
      ['2000000.00', 'BC123456'],
    ])
  })

  it('is paid by the price or more, and ignores a smaller amount', () => {
    const order = given(...ordered)
    expect(pay(order, 5, '599999.99')).to.equal(null)
    for (const amount of ['600000.00', '700000.00']) {
      const { payment, facts } = pay(order, 5, amount)!
      expect(payment).to.deep.equal({ webhook_status: 'plan_upgraded', already_run_of: null })
      expect(facts).to.deep.equal([
        {
          type: 'PlanPaid',
          data: { plan_order_id: 42, user_id: 7, plan: 'Basic', transaction_id: 5, amount, paid_at: at.toISOString() },
        },
      ])
    }
  })

  it('is paid once, so another payment is already_run and a repeated one gives the same result', () => {
    const paid = given(...ordered, ...pay(given(...ordered), 5, '600000.00')!.facts)
    expect(pay(paid, 6, '600000.00')).to.deep.equal({
      payment: { webhook_status: 'already_run', already_run_of: 5 },
      facts: [],
    })
    expect(pay(paid, 5, '600000.00')).to.deep.equal({
      payment: { webhook_status: 'plan_upgraded', already_run_of: null },
      facts: [],
    })
    expect(pay(null, 5, '600000.00')).to.equal(null)
  })
})

describe('the plan order of a credit', () => {
  const text = (memo: string, sign = '+', account = plans.account_number) =>
    `SD TK ${account} ${sign}600,000VND luc 20-11-2026 10:00:05. SD 2,000,000VND. Ref MBVCB.900000001.${memo}`
  const usual = {
    operator: true,
    prefixes: ['DH'],
    sign: '+',
    account: plans.account_number,
    currency: 'VND',
    of: plans,
  }
  const named = (memo: string, given: Partial<typeof usual> = {}) => {
    const { operator, prefixes, sign, account, currency, of } = { ...usual, ...given }
    const systems = new Map(prefixes.map((payment_prefix, id) => [id, { payment_prefix }]))
    const words = text(memo, sign, account)
    const { reading } = read({ text: words, sender: 'Vietcombank' }, at)
    return namedPlanOrder({ operator, systems }, { ...reading!, currency }, words, of)?.plan_order_id ?? null
  }

  it('is the number after the prefix', () => {
    expect(named('BC0042')).to.equal(42)
    expect(named('thanh toan bc 123456 chuyen tien')).to.equal(123_456)
  })
  it('is absent with fewer than four digits or no number', () =>
    expect([named('BC42'), named('DH0042'), named('NGUYEN VAN A')]).to.deep.equal([null, null, null]))
  it('is absent for a debit, or for another account, bank, user or currency', () => {
    expect(named('BC0042', { currency: 'USD' })).to.equal(null)
    expect(named('BC0042', { sign: '-' })).to.equal(null)
    expect(named('BC0042', { account: '0099000415567' })).to.equal(null)
    expect(named('BC0042', { of: { ...plans, bank_code: 'MB' } })).to.equal(null)
    expect(named('BC0042', { operator: false })).to.equal(null)
  })
  it('is not a part of an order id of the operator’s own shop', () => {
    const prefixes = ['DH', 'ABC']
    expect(named('ABC0042', { prefixes })).to.equal(null)
    expect(named('NGUYEN VAN A BC0042', { prefixes })).to.equal(42)
    expect(named('BC0042', { prefixes })).to.equal(42)
    expect(named('DH77 BC0042', { prefixes })).to.equal(42)
  })
  it('is found if the bank masks the account but prints part of it', () => {
    expect(named('BC0042', { account: '0011xxxx5567' })).to.equal(42)
    expect(named('BC0042', { account: '0011xxxx5568' })).to.equal(null)
  })
  it('is absent if the bank prints fewer than three digits of the account', () => {
    const last = (digits: number) => plans.account_number.slice(-digits).padStart(12, 'x')
    expect(named('BC0042', { account: last(3) })).to.equal(42)
    expect(named('BC0042', { account: last(2) })).to.equal(null)
  })
})

describe('the account for plan payments', () => {
  const set = { planPrefix: 'bc', planBank: 'vcb', planAccount: '0011', planHolder: 'A' }
  it('requires bank, number and holder', () => {
    expect(planAccountOf(set)).to.deep.equal({
      prefix: 'BC',
      bank_code: 'VCB',
      account_number: '0011',
      account_name: 'A',
    })
    for (const missing of ['planBank', 'planAccount', 'planHolder'])
      expect(planAccountOf({ ...set, [missing]: undefined }), missing).to.equal(null)
    expect(planAccountOf({ ...set, planBank: 'ZALOPAY' })).to.equal(null)
  })
})
