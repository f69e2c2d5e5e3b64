import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import type { Plan } from '../../../../domain/account/events.ts'
import { PLAN_LIMITS } from '../../../../domain/account/plan.ts'
import { buyPlan, endPlan, nearlyUsedFrom, warnOfQuota } from '../../../../domain/account/plan-changes.ts'

const at = new Date('2026-03-10T00:00:00.000Z')
const account = (plan: Plan, plan_expires_at: string | null, quota_warned: string | null = null) =>
  ({ user_id: 1, plan, plan_expires_at, quota_warned }) as Account
const bought = (before: Account, plan: Plan) => {
  const [event] = buyPlan(before, plan, { id: 'payment', at })
  return event!.type === 'PlanChanged' ? event!.data : null
}

describe('a bought plan', () => {
  it('lasts 365 days from the payment', () =>
    expect(bought(account('Free', null), 'Basic')).to.deep.equal({
      user_id: 1,
      plan: 'Basic',
      expires_at: '2027-03-10T00:00:00.000Z',
      caused_by: 'payment',
    }))
  it('is extended from its current end if it is the same plan', () =>
    expect(bought(account('Basic', '2026-05-01T00:00:00.000Z'), 'Basic')?.expires_at).to.equal(
      '2027-05-01T00:00:00.000Z',
    ))
  it('begins now if it is a different plan or has ended', () => {
    const now = '2027-03-10T00:00:00.000Z'
    expect(bought(account('Basic', '2026-05-01T00:00:00.000Z'), 'Pro')).to.include({ plan: 'Pro', expires_at: now })
    expect(bought(account('Basic', '2026-03-10T00:00:00.000Z'), 'Basic')?.expires_at).to.equal(now)
  })
  it('stays without an end if it has none', () =>
    expect(bought(account('Pro', null), 'Pro')?.expires_at).to.equal(null))
})

describe('the end of a plan', () => {
  const ended = (plan: Plan, expires_at: string | null) => endPlan(account(plan, expires_at), at).length
  it('makes it Free from that moment', () => {
    expect(ended('Basic', '2026-03-10T00:00:00.001Z')).to.equal(0)
    expect(endPlan(account('Basic', '2026-03-10T00:00:00.000Z'), at)).to.deep.equal([
      { type: 'PlanChanged', data: { user_id: 1, plan: 'Free', expires_at: null } },
    ])
  })
  it('never happens without an end date', () => expect([ended('Pro', null), ended('Free', null)]).to.deep.equal([0, 0]))
})

describe('the warning of a nearly used quota', () => {
  const warned = (transactions: number, plan: Plan = 'Free', before: string | null = null) =>
    warnOfQuota(account(plan, null, before), transactions, at).length
  it('is raised at 80 % of every plan with a quota', () => {
    for (const { plan, transactions } of nearlyUsedFrom) {
      expect(transactions).to.equal((PLAN_LIMITS[plan].transactions! * 80) / 100)
      expect([warned(transactions - 1, plan), warned(transactions, plan)]).to.deep.equal([0, 1])
    }
    expect(nearlyUsedFrom.map(({ plan }) => plan)).to.deep.equal(['Free', 'Basic', 'Advanced'])
    expect(warned(1_000_000, 'Pro')).to.equal(0)
  })
  it('is raised once a month', () => {
    expect(warned(90, 'Free', '2026-03')).to.equal(0)
    expect(warned(90, 'Free', '2026-02')).to.equal(1)
  })
})
