import { expect } from 'chai'
import { Lanes } from '../../../../workflows/deliver/lanes.ts'
import type { Claimed, LaneName } from '../../../../workflows/deliver/queue.ts'
import { openSuspendedJobs } from '../../../../workflows/deliver/suspended-jobs.ts'

const [SHOP, OTHER] = ['https://shop.vn:443', 'https://other.vn:443']

const claimed = (transaction_id: number, { lane = 'first' as LaneName, name = SHOP, isPassedThrough = false } = {}) =>
  ({ transaction_id, rule_id: 7, user_id: 5, lane, endpoint: { name, watched: true, isPassedThrough } }) as Claimed

const setUp = () => {
  const lanes = new Lanes(() => Promise.resolve())
  lanes.hold()
  lanes.add([
    claimed(1),
    claimed(2, { lane: 'manual' }),
    claimed(3, { isPassedThrough: true }),
    claimed(4, { name: OTHER }),
  ])
  const waiting = () => idsOf(lanes.jobsWaiting())
  return { suspended: openSuspendedJobs(lanes), waiting }
}

const idsOf = (jobs: readonly { claimed: Claimed }[]) => jobs.map((job) => job.claimed.transaction_id).toSorted()

const state = (held: boolean) => [{ user_id: 5, endpoint: SHOP, opened: held, held }]

describe('calls that wait for an endpoint', () => {
  it('go back to the queue if it must not be called, but for a manual retry and what the gate has let through', () => {
    const { suspended, waiting } = setUp()
    expect(idsOf(suspended.update(state(true)))).to.deep.equal([1])
    expect(waiting()).to.deep.equal([2, 3, 4])
  })

  it('wait aside while its state is unknown, and then go back to the queue or continue', () => {
    for (const held of [true, false]) {
      const { suspended, waiting } = setUp()
      suspended.suspend({ user_id: 5, endpoint: SHOP })
      expect(idsOf(suspended.jobs())).to.deep.equal([1])
      expect(waiting()).to.deep.equal([2, 3, 4])
      expect(idsOf(suspended.update(state(held)))).to.deep.equal(held ? [1] : [])
      expect(suspended.jobs()).to.deep.equal([])
      expect(waiting()).to.deep.equal(held ? [2, 3, 4] : [1, 2, 3, 4])
    }
  })
})
