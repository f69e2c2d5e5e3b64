import { expect } from 'chai'
import { Lane, type LaneJob, type LaneLimits } from '../../../../workflows/deliver/lane.ts'

interface Job extends LaneJob {
  name: string
}

const LIMITS: LaneLimits = { room: 100, slots: 4, perUser: 3, perEndpoint: 2, waitingPerEndpoint: 10 }

/** A lane in which the test ends the calls and advances the clock. */
const openLane = (limits: Partial<LaneLimits> = {}) => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  let time = 0
  const run = (job: Job) => {
    begun.push(job.name)
    return new Promise<void>((resolve) => ends.set(job.name, resolve))
  }
  const lane = new Lane<Job>({ ...LIMITS, ...limits }, run, () => time)
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  const end = async (name: string) => {
    ends.get(name)!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { lane, begun, end, pass }
}

const jobs = (user_id: number, endpoint: string, count: number, rule_id = user_id): Job[] =>
  Array.from({ length: count }, (_, index) => ({ user_id, rule_id, endpoint, name: `${user_id}${endpoint}${index}` }))

describe('a lane', () => {
  it('gives slots to users in turn, even if one has more jobs', async () => {
    const { lane, begun, end } = openLane({ slots: 1 })
    lane.add([...jobs(1, 'a', 3), ...jobs(2, 'b', 2)])
    for (const name of ['1a0', '2b0', '1a1', '2b1']) await end(name)
    expect(begun).to.deep.equal(['1a0', '2b0', '1a1', '2b1', '1a2'])
  })

  it('serves the endpoints of a user in turn', async () => {
    const { lane, begun, end } = openLane({ slots: 1 })
    lane.add([...jobs(1, 'a', 2), ...jobs(1, 'b', 1)])
    for (const name of ['1a0', '1b0']) await end(name)
    expect(begun).to.deep.equal(['1a0', '1b0', '1a1'])
  })

  it('limits each endpoint and each user to its own number of slots', async () => {
    const { lane, begun, end } = openLane()
    lane.add([...jobs(1, 'a', 5), ...jobs(1, 'b', 5), ...jobs(2, 'c', 1)])
    expect(begun).to.have.members(['1a0', '1a1', '1b0', '2c0'])
    await end('1b0')
    expect(begun.at(-1)).to.equal('1b1')
  })

  it('limits a user to its number of slots over all its endpoints', async () => {
    const { lane, begun, end } = openLane({ slots: 10 })
    lane.add([...jobs(1, 'a', 5), ...jobs(1, 'b', 5), ...jobs(2, 'c', 1)])
    expect(begun).to.have.members(['1a0', '1b0', '1a1', '2c0'])
    await end('1a0')
    expect(begun.slice(4)).to.deep.equal(['1b1'])
  })

  it('counts the calls in flight of an endpoint that nothing waited for meanwhile', () => {
    const { lane, begun } = openLane()
    const all = jobs(1, 'a', 4)
    lane.add(all.slice(0, 2))
    lane.add(all.slice(2))
    expect(begun).to.deep.equal(['1a0', '1a1'])
  })

  it('forgets users that have no calls here', async () => {
    const { lane, end } = openLane()
    lane.add(jobs(1, 'a', 1))
    await end('1a0')
    expect(lane.sharesLeft()).to.deep.equal([])
    lane.hold(true)
    lane.add([...jobs(1, 'a', 1), ...jobs(2, 'b', 1)])
    lane.takeOut(() => true)
    lane.hold(false)
    expect(lane.sharesLeft()).to.deep.equal([])
  })

  it('starts no call while it is held', async () => {
    const { lane, begun } = openLane()
    lane.hold(true)
    lane.add(jobs(1, 'a', 2))
    expect(begun).to.deep.equal([])
    lane.hold(false)
    expect(begun).to.deep.equal(['1a0', '1a1'])
  })

  it('counts waiting and running calls as used room', async () => {
    const { lane, end } = openLane()
    lane.add(jobs(1, 'a', 5))
    expect([lane.free, lane.waiting, lane.inFlight]).to.deep.equal([95, 3, 2])
    await end('1a0')
    expect([lane.free, lane.waiting, lane.inFlight]).to.deep.equal([96, 2, 2])
  })

  it('returns the rules of full endpoints', () => {
    const { lane } = openLane()
    lane.add([...jobs(1, 'a', 12, 70), ...jobs(1, 'b', 5, 71)])
    expect(lane.fullRules()).to.deep.equal([70])
  })

  it('returns what is left of the share of each user, waiting and running', async () => {
    const { lane, end } = openLane({ room: 100, slots: 20, perUser: 4 })
    lane.add([...jobs(1, 'a', 10), ...jobs(1, 'b', 10), ...jobs(2, 'a', 19)])
    expect(lane.share).to.equal(20)
    expect(lane.sharesLeft()).to.deep.equal([
      { user_id: 1, left: 0 },
      { user_id: 2, left: 1 },
    ])
    await end('1a0')
    expect(lane.sharesLeft()[0]).to.deep.equal({ user_id: 1, left: 1 })
    lane.add(jobs(2, 'a', 2))
    expect(lane.sharesLeft()[1]).to.deep.equal({ user_id: 2, left: 0 })
  })

  it('gives a user no more room while a full endpoint makes progress', () => {
    const { lane } = openLane()
    expect(lane.roomFor(1)).to.equal(10)
    lane.add(jobs(1, 'a', 6))
    expect(lane.roomFor(1)).to.equal(6)
    lane.add(jobs(1, 'a', 6))
    expect(lane.roomFor(1)).to.equal(0)
    lane.add(jobs(1, 'a', 1))
    expect(lane.roomFor(1)).to.equal(0)
  })

  it('gives a user no more room while a full endpoint waits for the calls of others', () => {
    const { lane, pass } = openLane({ slots: 1 })
    lane.add([...jobs(2, 'b', 1), ...jobs(1, 'a', 10)])
    pass(2_000)
    expect(lane.roomFor(1)).to.equal(0)
  })

  it('lets a user continue with other endpoints while one is stuck or slow', async () => {
    const { lane, end, pass } = openLane({ perUser: 4, slots: 8 })
    pass(5_000)
    lane.add([...jobs(1, 'a', 8)])
    pass(999)
    expect(lane.roomFor(1), 'while it may be getting on').to.equal(4)
    pass(1)
    expect(lane.roomFor(1), 'while no call ends').to.equal(10)
    await end('1a0')
    expect(lane.roomFor(1), 'when one ended: five wait, which take 2.5 s').to.equal(5)
    const slow = openLane({ perUser: 4, slots: 8 })
    slow.lane.add([...jobs(1, 'a', 8)])
    slow.pass(2_500)
    await slow.end('1a0')
    expect(slow.lane.roomFor(1), 'when one ended: five wait, which take over 5 s').to.equal(10)
  })

  it('gives every user a little room, even if others have used all of it', () => {
    const { lane } = openLane({ room: 5 })
    lane.add(jobs(1, 'a', 6))
    expect([lane.free, lane.roomFor(1), lane.roomFor(2)]).to.deep.equal([0, 0, 8])
  })

  it('returns waiting jobs on request, and continues with the rest', async () => {
    const { lane, begun, end } = openLane({ slots: 1 })
    lane.add([...jobs(1, 'a', 3), ...jobs(2, 'b', 1)])
    expect(lane.takeOut((job) => job.name === '1a1').map(({ name }) => name)).to.deep.equal(['1a1'])
    for (const name of ['1a0', '2b0']) await end(name)
    expect(begun).to.deep.equal(['1a0', '2b0', '1a2'])
    expect(lane.takeOut(() => true)).to.deep.equal([])
  })

  it('knows the waiting jobs of an endpoint after all earlier ones were taken out before their turn', () => {
    const { lane, begun } = openLane({ perEndpoint: 1 })
    lane.hold(true)
    lane.add(jobs(1, 'a', 1))
    lane.takeOut(() => true)
    lane.add(jobs(1, 'a', 2))
    lane.hold(false)
    expect(begun).to.deep.equal(['1a0'])
    expect(lane.jobsWaiting().map(({ name }) => name)).to.deep.equal(['1a1'])
  })

  it('knows the waiting jobs of an endpoint whose call ended after those that waited were taken out', async () => {
    const { lane, begun, end } = openLane()
    const all = jobs(1, 'a', 5)
    lane.add([...jobs(1, 'b', 1), ...all.slice(0, 1)])
    lane.hold(true)
    lane.add(all.slice(1, 2))
    lane.takeOut(() => true)
    await end('1a0')
    lane.add(all.slice(2))
    lane.hold(false)
    expect(begun).to.deep.equal(['1b0', '1a0', '1a2', '1a3'])
    expect(lane.jobsWaiting().map(({ name }) => name)).to.deep.equal(['1a4'])
  })
})
