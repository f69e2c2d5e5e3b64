import { expect } from 'chai'
import type { Job } from '../../../../workflows/capture/job.ts'
import { Waiting } from '../../../../workflows/capture/waiting.ts'

const job = (userId: number, raw = ''): Job => ({ userId, arrival: { raw } }) as Job
const jobs = (userId: number, count: number, raw = ''): Job[] => Array.from({ length: count }, () => job(userId, raw))
const usersOf = (group: readonly Job[]): number[] => [...new Set(group.map(({ userId }) => userId))]

describe('notifications in the wait queue', () => {
  it('leave in order of arrival, and each account is in one group at a time', () => {
    const waiting = new Waiting()
    const [a, b, c] = [job(1, 'a'), job(1, 'b'), job(1, 'c')]
    waiting.add([a, b])
    const group = waiting.nextGroup()
    waiting.add([c])
    expect(group).to.deep.equal([a, b])
    expect(waiting.nextGroup()).to.deep.equal([])
    waiting.done(group)
    expect(waiting.nextGroup()).to.deep.equal([c])
    expect(waiting.size).to.equal(0)
  })

  it('leave first if they were put back', () => {
    const waiting = new Waiting()
    const [a, b, c] = [job(1, 'a'), job(1, 'b'), job(1, 'c')]
    waiting.add([a, b])
    const group = waiting.nextGroup()
    waiting.add([c])
    waiting.putBack([a, b])
    waiting.done(group)
    expect(waiting.nextGroup()).to.deep.equal([a, b, c])
  })

  it('take turns, so a burst leaves room for other accounts', () => {
    const waiting = new Waiting()
    waiting.add(jobs(1, 10_000))
    waiting.add(jobs(2, 3))
    waiting.add(jobs(3, 10_000))
    const first = waiting.nextGroup()
    expect(usersOf(first)).to.deep.equal([1, 2, 3])
    waiting.add(jobs(4, 1))
    waiting.done(first)
    expect(usersOf(waiting.nextGroup())).to.deep.equal([1, 3])
    expect(usersOf(waiting.nextGroup())).to.deep.equal([4])
  })

  it('leave in halves if there are many, so one group is decided while the other is stored', () => {
    const waiting = new Waiting()
    for (let user = 1; user <= 8; user++) waiting.add(jobs(user, 32))
    expect(usersOf(waiting.nextGroup())).to.deep.equal([1, 2, 3, 4])
    expect(usersOf(waiting.nextGroup())).to.deep.equal([5, 6])
    waiting.add(jobs(9, 1))
    expect(usersOf(waiting.nextGroup())).to.deep.equal([7, 8])
  })

  it('leave in smaller groups if their bodies are large, and are never stuck', () => {
    const waiting = new Waiting()
    const large = 'x'.repeat(3 * 1024 * 1024)
    waiting.add([...jobs(1, 3, large), ...jobs(2, 3, large)])
    const groups: number[][] = []
    for (let group = waiting.nextGroup(); group.length > 0; group = waiting.nextGroup()) {
      groups.push(group.map(({ userId }) => userId))
      waiting.done(group)
    }
    expect(groups).to.deep.equal([
      [1, 1],
      [2, 2],
      [1, 2],
    ])
  })
})
