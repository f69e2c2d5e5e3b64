/** The state of a webhook in one word. */
import { expect } from 'chai'
import type { Rule, RuleStats } from '../../../../web/api/types.ts'
import { failuresOf, percent, ruleState } from '../../../../web/app/rule-state.ts'

const HEALTHY = { breaker: 'closed', failures_in_a_row: 0, open_since: null, next_probe_at: null, not_before: null }
const rule = (health: object = {}, is_active = 1) => ({ is_active, health: { ...HEALTHY, ...health } }) as Rule
const stats = (attempts: number, success_rate: number | null) => ({ attempts, success_rate }) as RuleStats

describe('the state of a webhook', () => {
  it('is the fact that the owner should know first', () => {
    expect(ruleState(rule({ breaker: 'open', failures_in_a_row: 9 }, 0), stats(9, 0))).to.equal('paused')
    expect(ruleState(rule({ breaker: 'open', failures_in_a_row: 9 }), stats(9, 0))).to.equal('open')
    expect(ruleState(rule({ failures_in_a_row: 1 }), stats(9, 0.9))).to.equal('failing')
    expect(ruleState(rule(), stats(2, 0))).to.equal('failing')
    expect(ruleState(rule(), stats(0, null))).to.equal('quiet')
    expect(ruleState(rule(), stats(9, 0.5))).to.equal('good')
    expect(ruleState(rule({ failures_in_a_row: 1 }), undefined)).to.equal('failing')
    expect(ruleState(rule(), undefined)).to.equal(null)
  })

  it('comes with the number of failures', () => {
    expect([stats(0, null), stats(3, 1), stats(3, 2 / 3), stats(7, 0)].map(failuresOf)).to.deep.equal([0, 0, 1, 7])
  })

  it('has its success in percent, where 100 means all', () => {
    expect([0.9999, 1, 29 / 100, 0, null].map(percent)).to.deep.equal(['99%', '100%', '29%', '0%', '0%'])
  })
})
