import { expect } from 'chai'
import {
  balanceOf,
  commissionOf,
  earnCommission,
  evolve,
  NO_AFFILIATE,
  requestWithdrawal,
  setBank,
  type Affiliate,
} from '../../../../domain/affiliate/affiliate.ts'
import type { AffiliateEvent } from '../../../../domain/affiliate/events.ts'

const USER = 7
const at = new Date('2026-11-20T03:00:00.000Z')
const payment = (caused_by: string, amount = '120000.00') => ({
  user_id: USER,
  amount,
  referred_user_id: 8,
  plan_order_id: 42,
  caused_by,
})

const after = (affiliate: Affiliate, events: readonly AffiliateEvent[]): Affiliate => events.reduce(evolve, affiliate)
const earned = after(NO_AFFILIATE, earnCommission(NO_AFFILIATE, payment('event-1')))

describe('a commission', () => {
  it('is its percentage of the payment, in whole dong', () => {
    expect(commissionOf('600000.00', 20)).to.equal('120000.00')
    expect(commissionOf('1200000.99', 12.5)).to.equal('150000.00')
    expect(commissionOf('999.00', 10)).to.equal('99.00')
    expect(commissionOf('600000.00', 0)).to.equal('0.00')
  })

  it('is earned once for each payment, even if the reaction to the payment is repeated', () => {
    expect(balanceOf(earned)).to.equal('120000.00')
    expect(earnCommission(earned, payment('event-1'))).to.deep.equal([])
    const twice = after(earned, earnCommission(earned, payment('event-2')))
    expect(balanceOf(twice)).to.equal('240000.00')
  })

  it('of nothing is not recorded', () =>
    expect(earnCommission(NO_AFFILIATE, payment('event-1', '0.00'))).to.deep.equal([]))
})

describe('a withdrawal', () => {
  const bank = { bank_code: 'VCB', account_number: '0011000415567', account_name: 'NGUYEN VAN A' }
  const withBank = after(earned, setBank(earned, USER, bank))
  const withdraw = (affiliate: Affiliate, amount: number) =>
    requestWithdrawal(affiliate, { user_id: USER, withdrawal_id: 5, amount, at })

  it('needs a payout account', () => expect(() => withdraw(earned, 1)).to.throw('payout account'))

  it('may take the balance and not more, and reduces it at once', () => {
    expect(() => withdraw(withBank, 120_001)).to.throw('more than the balance')
    const withdrawn = after(withBank, withdraw(withBank, 120_000))
    expect(balanceOf(withdrawn)).to.equal('0.00')
    expect(() => withdraw(withdrawn, 1)).to.throw('more than the balance')
  })
})
