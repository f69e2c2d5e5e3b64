import { expect } from 'chai'
import type { RecordedEvent } from '../../../../../domain/event.ts'
import { History } from '../../../../../adapters/event-store/history.ts'
import { unparsed } from '../../../../../adapters/event-store/parse.ts'
import type { PositionedEvent } from '../../../../../adapters/event-store/postgres/positioned-event.ts'
import { Pages } from '../../../../../adapters/event-store/postgres/pages.ts'
import { readPage } from '../../../../../adapters/event-store/postgres/reading.ts'
import { Tail, type Member } from '../../../../../adapters/event-store/postgres/tail.ts'
import type { Database } from '../../../../../adapters/database/database.ts'
import { eventually } from '../../../../harness/eventually.ts'

/** An empty store on which LISTEN fails. */
const database = {
  query: (text: string) =>
    Promise.resolve([text.includes('store.newest') ? { position: 0 } : { position: 0, id: null }]),
  connect: () => Promise.reject(new Error('nobody listens')),
} as unknown as Database

const placed = (position: number, size: number): PositionedEvent => ({
  position,
  size,
  event: {} as PositionedEvent['event'],
})
const all = (): boolean => true

describe('the tail of the Postgres store', () => {
  let tail: Tail<RecordedEvent>
  let end: number
  let members: Member[]

  const join = (position: number): Member => {
    const member = { position }
    members.push(member)
    tail.join(member)
    return member
  }

  /** Appends events as this process does, 500 at a time. */
  const append = (count: number, size = 1): void => {
    for (const to = end + count; end < to;) {
      const from = end
      end = Math.min(to, from + 500)
      tail.offer(from, () => Array.from({ length: end - from }, (_, n) => placed(from + n + 1, size)))
    }
  }

  const opened = async (): Promise<Member> => {
    const member = join(0)
    await eventually(() => tail.after(0, 1, all))
    return member
  }

  beforeEach(() => {
    const nothing = () => {}
    tail = new Tail({
      database,
      pages: new Pages(
        (after, most) => readPage(database, unparsed, after, most),
        () => false,
      ),
      history: new History((a, b) => Number(a) > Number(b)),
      onFailure: nothing,
      isAppending: () => false,
    })
    end = 0
    members = []
  })
  afterEach(() => members.forEach((member) => tail.leave(member)))

  it('keeps the events that a subscription has not read yet', async () => {
    await opened()
    append(30_000)
    expect(tail.after(0, 100_000, all)?.events).to.have.length(30_000)
  })

  it('keeps at most 64,000 unread events, so a slower subscription reads from the tables', async () => {
    await opened()
    append(64_000)
    expect(tail.after(0, 1, all)).not.to.equal(undefined)
    append(500)
    expect(tail.after(0, 1, all)).to.equal(undefined)
    expect(tail.after(end - 9_000, 1, all)).to.equal(undefined)
  })

  it('keeps unread events only up to its limit in bytes', async () => {
    await opened()
    append(2_000, 100_000)
    expect(tail.after(0, 1, all)).to.equal(undefined)
  })

  it('keeps the last 8,000 events for late subscriptions and drops the rest once all subscriptions have read them', async () => {
    const member = await opened()
    append(30_000)
    member.position = end
    append(500)
    expect(tail.after(end - 7_000, 1, all)).not.to.equal(undefined)
    expect(tail.after(end - 9_000, 1, all)).to.equal(undefined)
  })

  it('keeps no events for a subscription that catches up from the tables', async () => {
    const member = await opened()
    append(30_000)
    member.position = end
    append(500)
    join(1)
    append(30_000)
    expect(tail.after(end - 9_000, 1, all)?.events).to.have.length(1)
    member.position = end
    append(500)
    expect(tail.after(end - 9_000, 1, all)).to.equal(undefined)
  })
})
