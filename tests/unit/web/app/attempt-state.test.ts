/** How an attempt is shown. */
import { expect } from 'chai'
import type { Attempt } from '../../../../web/api/types.ts'
import { attemptState } from '../../../../web/app/attempt-state.ts'

const attempt = (outcome: Attempt['outcome']) => ({ outcome }) as Attempt

describe('the state of an attempt', () => {
  it('is that the call is repeated only until the next attempt', () => {
    const [first, second] = [attempt('retrying'), attempt('retrying')]
    expect([first, second].map((each) => attemptState(each, second))).to.deep.equal(['failed', 'retrying'])
    expect(attemptState(second, attempt('delivered'))).to.equal('failed')
    expect(attemptState(second, undefined), 'the webhook was deleted').to.equal('failed')
  })

  it('is otherwise how it ended', () => {
    for (const [outcome, state] of [
      ['delivered', 'success'],
      ['exhausted', 'failed'],
    ] as const) {
      const only = attempt(outcome)
      expect(attemptState(only, only)).to.equal(state)
    }
  })
})
