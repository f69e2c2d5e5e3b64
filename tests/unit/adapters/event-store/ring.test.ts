import { expect } from 'chai'
import { Ring, type Member, type Placed } from '../../../../adapters/event-store/ring.ts'

const all = (): boolean => true

describe('the ring of the newest events', () => {
  let ring: Ring<number, Placed<number>>
  let end: number

  const join = (position: number): Member<number> => {
    const member = { position }
    ring.join(member)
    return member
  }

  /** Adds events, 500 at a time. */
  const add = (count: number, size = 1, isAtHead = true): void => {
    for (const to = end + count; end < to;) {
      const from = end
      end = Math.min(to, from + 500)
      const events = Array.from({ length: end - from }, (_, n) => ({ position: from + n + 1, size }))
      ring.keep(events, end, isAtHead)
    }
  }
  const positions = (after: number, most: number): number[] | undefined =>
    ring.after(after, most, all)?.events.map(({ position }) => position)

  beforeEach(() => {
    ring = new Ring((a, b) => a > b)
    end = 0
    ring.begin(0, true)
  })

  it('returns the events after a position that pass the filter, in order', () => {
    add(10)
    expect(positions(7, 100)).to.deep.equal([8, 9, 10])
    expect(positions(2, 3)).to.deep.equal([3, 4, 5])
    const isEven = ({ position }: Placed<number>): boolean => position % 2 === 0
    expect(ring.after(5, 2, isEven)).to.deep.include({ to: 8, newest: false })
    expect(ring.after(8, 1, isEven)).to.deep.include({ to: 10, newest: true })
  })

  it('returns the position up to which it has checked, also beyond its last event', () => {
    add(3)
    ring.keep([], 7, true)
    expect(ring.after(3, 10, all)).to.deep.equal({ events: [], to: 7, newest: true })
    expect(ring.after(9, 10, all)).to.deep.equal({ events: [], to: 9, newest: true })
  })

  it('says whether there are newer events', () => {
    add(3, 1, false)
    expect(ring.after(0, 10, all)?.newest).to.equal(false)
    expect(ring.after(0, 3, all)?.newest).to.equal(false)
    ring.keep([], 3, true)
    expect(ring.after(0, 10, all)?.newest).to.equal(true)
    ring.clear()
    ring.begin(3, false)
    expect(ring.after(3, 10, all)?.newest).to.equal(false)
  })

  it('covers no position before it began, and none while nothing fills it', () => {
    ring.begin(5, true)
    expect(ring.after(4, 1, all)).to.equal(undefined)
    expect(ring.reaches(5)).to.equal(true)
    ring.clear()
    expect(ring.reaches(5)).to.equal(false)
    expect(ring.to).to.equal(null)
  })

  it('keeps the events that a subscription has not read yet', () => {
    join(0)
    add(30_000)
    expect(positions(0, 100_000)).to.have.length(30_000)
  })

  it('keeps at most 64,000 unread events, so a slower subscription reads the store by itself', () => {
    join(0)
    add(64_000)
    expect(positions(0, 1)).not.to.equal(undefined)
    add(500)
    expect(positions(0, 1)).to.equal(undefined)
    expect(positions(end - 9_000, 1)).to.equal(undefined)
  })

  it('keeps unread events only up to its limit in bytes', () => {
    join(0)
    add(2_000, 100_000)
    expect(positions(0, 1)).to.equal(undefined)
  })

  it('keeps them up to that limit even if they arrive one by one', () => {
    join(0)
    for (let n = 0; n < 48; n++) add(1, 1_048_576)
    expect(positions(0, 100)).to.have.length(48)
    add(1, 1_048_576)
    expect(positions(0, 100)).to.equal(undefined)
    expect(positions(end - 15, 100)).to.have.length(15)
  })

  it('keeps the last 8,000 events for late subscriptions and drops the rest once all subscriptions have read them', () => {
    const member = join(0)
    add(30_000)
    member.position = end
    add(500)
    expect(positions(end - 7_000, 1)).not.to.equal(undefined)
    expect(positions(end - 9_000, 1)).to.equal(undefined)
  })

  it('finds events that arrived one by one, and keeps the newest 16 MB of them', () => {
    for (let n = 0; n < 1_000; n++) {
      add(1, 100_000)
      const least = Math.min(end, 150)
      expect(positions(end - least, 1_000)).to.have.length(least)
      expect(positions(end - 1, 1_000)).to.deep.equal([end])
    }
    expect(positions(end - 200, 1)).to.equal(undefined)
  })

  it('keeps as many again after it was cleared', () => {
    for (let times = 0; times < 2; times++) {
      ring.clear()
      ring.begin(end, true)
      add(7_500, 2_000)
      expect(positions(end - 7_500, 1)).to.have.length(1)
    }
  })

  it('keeps no events for a subscription that reads the store by itself', () => {
    const member = join(0)
    add(30_000)
    member.position = end
    add(500)
    join(1)
    add(30_000)
    expect(positions(end - 9_000, 1)).to.have.length(1)
    member.position = end
    add(500)
    expect(positions(end - 9_000, 1)).to.equal(undefined)
  })
})
