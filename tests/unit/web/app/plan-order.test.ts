import { expect } from 'chai'
import { isPaid, openOrderOf, type OpenOrder } from '../../../../web/app/plan-order.ts'

const FREE = { id: 7, plan: 'Free', plan_expires_at: null } as const
const until = (plan: 'Basic' | 'Pro', year: number) => ({ id: 7, plan, plan_expires_at: `${year}-11-20T00:00:00.000Z` })

describe('an ordered plan', () => {
  it('is paid when the account has it, or has it for longer', () => {
    expect(isPaid({ before: FREE, plan: 'Basic' }, until('Basic', 2027))).to.equal(true)
    expect(isPaid({ before: until('Basic', 2027), plan: 'Basic' }, until('Basic', 2028))).to.equal(true)
    expect(isPaid({ before: until('Basic', 2027), plan: 'Pro' }, until('Pro', 2027))).to.equal(true)
  })

  it('is not paid while nothing has changed, or when the plan before has ended or grown', () => {
    expect(isPaid({ before: FREE, plan: 'Basic' }, FREE)).to.equal(false)
    expect(isPaid({ before: until('Basic', 2027), plan: 'Basic' }, until('Basic', 2027))).to.equal(false)
    expect(isPaid({ before: until('Basic', 2027), plan: 'Basic' }, FREE)).to.equal(false)
    expect(isPaid({ before: until('Basic', 2027), plan: 'Pro' }, until('Basic', 2028))).to.equal(false)
  })

  it('is kept for its own account, for a day', () => {
    const kept: OpenOrder = { before: FREE, plan: 'Basic', at: 1_000, order: { order_id: 'BC1000' } as never }
    const text = JSON.stringify(kept)
    expect(openOrderOf(text, 7, 2_000)).to.deep.equal(kept)
    expect(openOrderOf(text, 8, 2_000), 'another account').to.equal(null)
    expect(openOrderOf(text, 7, 1_000 + 86_400_000), 'a day later').to.equal(null)
    expect(openOrderOf(null, 7, 2_000)).to.equal(null)
  })
})
