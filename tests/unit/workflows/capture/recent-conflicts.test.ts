import { expect } from 'chai'
import { RecentConflicts } from '../../../../workflows/capture/recent-conflicts.ts'

describe('recent conflicts', () => {
  const at = (start: number) => {
    const clock = { now: start }
    return { clock, conflicts: new RecentConflicts(() => clock.now) }
  }

  it('are known for ten seconds, of their account only', () => {
    const { clock, conflicts } = at(1_000)
    conflicts.note(5)
    clock.now = 10_999
    expect([conflicts.has(5), conflicts.has(6)]).to.deep.equal([true, false])
    clock.now = 11_000
    expect(conflicts.has(5)).to.equal(false)
  })

  it('are known for ten seconds after the last one', () => {
    const { clock, conflicts } = at(0)
    conflicts.note(5)
    clock.now = 9_000
    conflicts.note(5)
    clock.now = 18_999
    expect(conflicts.has(5)).to.equal(true)
  })

  it('are known of 10,000 accounts at most, and the oldest is forgotten first', () => {
    const { conflicts } = at(0)
    for (let user = 0; user <= 10_000; user++) conflicts.note(user)
    expect([conflicts.has(0), conflicts.has(1), conflicts.has(10_000)]).to.deep.equal([false, true, true])
  })
})
