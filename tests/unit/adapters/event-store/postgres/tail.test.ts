import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import type { RecordedEvent } from '../../../../../domain/event.ts'
import { History } from '../../../../../adapters/event-store/history.ts'
import { unparsed } from '../../../../../adapters/event-store/parse.ts'
import type { PositionedEvent } from '../../../../../adapters/event-store/postgres/positioned-event.ts'
import { Pages } from '../../../../../adapters/event-store/postgres/pages.ts'
import { readPage } from '../../../../../adapters/event-store/postgres/reading.ts'
import { subscription } from '../../../../../adapters/event-store/postgres/subscription.ts'
import { Tail } from '../../../../../adapters/event-store/postgres/tail.ts'
import type { Database } from '../../../../../adapters/database/database.ts'
import { eventually } from '../../../../harness/eventually.ts'

let isHanging = false

/** An empty store on which LISTEN fails. */
const database = {
  query: (text: string) =>
    isHanging
      ? new Promise(() => {})
      : Promise.resolve([text.includes('store.newest') ? { position: 0 } : { position: 0, id: null }]),
  connect: () => Promise.reject(new Error('nobody listens')),
} as unknown as Database

const placed = (position: number): PositionedEvent => ({ position, size: 1, event: {} as PositionedEvent['event'] })
const all = (): boolean => true

describe('the tail of the Postgres store', () => {
  let tail: Tail<RecordedEvent>
  const member = { position: 0 }

  const history = new History((a, b) => Number(a) > Number(b))
  const pages = new Pages(
    (after, most) => readPage(database, unparsed, after, most),
    () => false,
  )

  beforeEach(async () => {
    isHanging = false
    tail = new Tail({ database, pages, history, onFailure: () => {}, isAppending: () => false })
    tail.join(member)
    await eventually(() => tail.ring.after(0, 1, all))
  })
  afterEach(() => tail.leave(member))

  it('takes events that this process has appended directly after its end, without a read', () => {
    tail.offer(0, () => [placed(1), placed(2)])
    tail.offer(2, () => [placed(3)])
    expect(tail.ring.after(1, 10, all)?.events.map(({ position }) => position)).to.deep.equal([2, 3])
  })

  it('takes none that this process has appended after events of others', () => {
    tail.offer(0, () => [placed(1)])
    tail.offer(2, () => [placed(3)])
    expect(tail.ring.after(0, 10, all)).to.deep.include({ to: 1, newest: true })
  })

  it('starts again when a subscription joins after the last one has left', async () => {
    tail.offer(0, () => [placed(1)])
    tail.leave(member)
    tail.join(member)
    await eventually(() => tail.ring.after(0, 1, all)?.events.length === 0)
  })

  it('ends all subscriptions of one signal when it aborts, even while no read succeeds', async () => {
    const stop = new AbortController()
    const { signal } = stop
    const options = { history, after: 0, prefixes: undefined, maxBatch: 10, signal, onFailure: () => {} }
    const both = [subscription(pages, tail, options), subscription(pages, tail, options)]
    for (const each of both) expect((await each.next()).value).to.include({ live: true })
    isHanging = true
    const ends = both.map((each) => each.next())
    stop.abort()
    for (const end of await Promise.all(ends)) expect(end.done).to.equal(true)
  })

  it('compares the store with what is known if its newest position falls on the same connection', async () => {
    const history = new History((a, b) => Number(a) > Number(b))
    history.reaches('5')
    const falling = {
      ...database,
      query: (text: string) => {
        if (text.includes('pg_is_in_recovery')) return Promise.resolve([{ is_standby: false, newest: 0 }])
        return text.includes('store.newest') ? Promise.resolve([{ position: 5 }]) : database.query(text)
      },
    } as unknown as Database
    const other = new Tail({ database: falling, pages, history, onFailure: () => {}, isAppending: () => false })
    other.join(member)
    await eventually(() => history.lost.aborted)
    other.leave(member)
  })

  it('reads less often once it knows that announcements arrive, although nothing is appended', async () => {
    const client = Object.assign(new EventEmitter(), { query: () => Promise.resolve([]), end: () => Promise.resolve() })
    const reads: number[] = []
    const announcing = {
      query: (text: string) => {
        if (text.includes('pg_notify')) client.emit('notification', { payload: '0' })
        return database.query(text)
      },
      connect: () => Promise.resolve(client),
    } as unknown as Database
    const pages = new Pages(
      (after, most) => {
        reads.push(performance.now())
        return readPage(announcing, unparsed, after, most)
      },
      () => false,
    )
    const history = new History((a, b) => Number(a) > Number(b))
    const other = new Tail({ database: announcing, pages, history, onFailure: () => {}, isAppending: () => false })
    other.join(member)
    await eventually(() => reads.length >= 2)
    const known = reads.length
    await eventually(() => reads.length >= known + 2)
    other.leave(member)
    expect(reads[known + 1]! - reads[known]!).to.be.at.least(900)
  })
})
