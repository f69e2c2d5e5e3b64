import { expect } from 'chai'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Parse } from '../../../adapters/event-store/parse.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { appended, event, eventsOf, follow, idsOf, part, streamName, upTo } from '../../contract/event-store/harness.ts'
import { openParsedStores, type StandInStores } from './stand-in-stores.ts'

const UNREADABLE = 'Unreadable'

describe('the subscriptions of a process to EventStoreDB', () => {
  let stores: StandInStores
  let parsed: number
  const parse: Parse<RecordedEvent> = (recorded) => {
    parsed++
    if (recorded.type === UNREADABLE) throw new Error('it cannot be parsed')
    return recorded
  }

  const open = (): number => stores.standIn.log.subscriptions
  const areOne = (): Promise<unknown> => eventually(() => open() === 1, { what: 'one subscription' })
  /** Appends events to a new stream. @returns their ids */
  const write = async (count: number, kind?: string): Promise<string[]> => {
    const events = eventsOf(count)
    await appended(stores.store, [part(streamName(kind), NO_STREAM, events)])
    return idsOf(events)
  }
  /** A follower that stops at its first event until it is released. */
  const followSlowly = () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const following = follow(stores.store, { after: null }, ({ events }) => (events.length > 0 ? held : undefined))
    return { ...following, release: () => release() }
  }
  const receives = async (
    { events }: { events: () => readonly { id: string }[] },
    ids: readonly string[],
  ): Promise<void> => {
    await eventually(() => events().length >= ids.length, { within: 60_000 })
    expect(idsOf(events())).to.deep.equal(ids)
  }

  beforeEach(async () => {
    stores = await openParsedStores(parse)
    parsed = 0
  })
  afterEach(() => stores.close())

  it('share one at the end of the log: each event is sent and parsed once', async () => {
    const first = await write(10, 'a')
    const kinds = [['a-'], ['b-'], ['a-', 'b-'], undefined, ['a-']]
    const followers = kinds.map((prefixes) => follow(stores.store, { after: null, ...(prefixes && { prefixes }) }))
    await eventually(() => followers.every(({ isLive }) => isLive()))
    const entered = await write(1, 'a')
    for (const n of [0, 2, 3, 4]) await receives(followers[n]!, [...first, ...entered])
    await areOne()
    const { sent } = stores.standIn.log
    const parsedBefore = parsed
    const [a, b] = [await write(50, 'a'), await write(50, 'b')]
    const expected = [[...a], [...b], [...a, ...b], [...a, ...b], [...a]]
    for (const [n, ids] of expected.entries())
      await receives(followers[n]!, n === 1 ? ids : [...first, ...entered, ...ids])
    expect(stores.standIn.log.sent - sent).to.equal(100)
    expect(parsed - parsedBefore).to.equal(100)
    await Promise.all(followers.map(({ stop }) => stop()))
    await eventually(() => open() === 0)
  })

  it('parse only events that one of them wants', async () => {
    const following = follow(stores.store, { after: null, prefixes: ['a-'] })
    await eventually(() => following.isLive())
    await write(20, 'b')
    await receives(following, await write(1, 'a'))
    await following.stop()
    expect(parsed).to.equal(1)
  })

  it('fail one by one at an event that cannot be parsed', async () => {
    const failures: unknown[] = []
    for (const n of upTo(2))
      follow(stores.store, { after: null, prefixes: ['a-'] }).ended.catch((error: unknown) => (failures[n] = error))
    const other = follow(stores.store, { after: null, prefixes: ['b-'] })
    await eventually(() => other.isLive())
    await appended(stores.store, [part(streamName('a'), NO_STREAM, [event({}, UNREADABLE)])])
    await eventually(() => failures.length === 2)
    for (const failure of failures) expect((failure as Error).message).to.equal('it cannot be parsed')
    await receives(other, await write(1, 'b'))
    await other.stop()
  })

  it('join late, from any position, while events arrive', async () => {
    const { store } = stores
    const ids: string[] = []
    let isWriting = true
    const followers = [follow(store, { after: null })]
    const writing = (async () => {
      while (isWriting) ids.push(...(await write(20)))
    })()
    for (let round = 0; round < 6; round++) {
      await eventually(() => followers[0]!.events().length > 150 * (round + 1))
      followers.push(follow(store, { after: null, maxBatch: 3 + 50 * round }))
    }
    // These continue from a checkpoint near the end.
    const from = followers[0]!.batches.at(-3)!
    const seen = followers[0]!.events().findIndex(({ checkpoint }) => checkpoint === from.events.at(-1)!.checkpoint) + 1
    const late = follow(store, { after: from.checkpoint })
    await eventually(() => late.isLive())
    isWriting = false
    await writing
    for (const follower of followers) await receives(follower, ids)
    await receives(late, ids.slice(seen))
    await areOne()
    await Promise.all([...followers, late].map(({ stop }) => stop()))
  })

  it('leave a slow one behind, which reads by itself until it has caught up', async () => {
    const slow = followSlowly()
    const quick = follow(stores.store, { after: null })
    const ids = await write(1)
    await eventually(() => slow.events().length === 1 && quick.events().length === 1)
    await areOne()
    // More than the process keeps for it.
    for (let round = 0; round < 60; round++) {
      const large = event({ text: 'x'.repeat(900_000) })
      await appended(stores.store, [part(streamName(), NO_STREAM, [large])])
      ids.push(large.id)
    }
    await receives(quick, ids)
    expect(slow.events()).to.have.length(1)
    expect(open()).to.equal(1)
    slow.release()
    await eventually(() => open() === 2)
    await receives(slow, ids)
    ids.push(...(await write(1)))
    await receives(slow, ids)
    await areOne()
    await Promise.all([slow.stop(), quick.stop()])
  })

  it('continue after every broken connection, without gap or repeat, even those that are behind', async () => {
    const { store, standIn } = stores
    const slow = followSlowly()
    const followers = upTo(4).map((n) => follow(store, { after: null, maxBatch: 3 + 10 * n }))
    const ids = await write(1)
    await eventually(() => slow.events().length === 1)
    for (let round = 0; round < 10; round++) {
      ids.push(...(await write(30)))
      await eventually(() => followers[0]!.events().length > ids.length - 15)
      if (round % 3 === 2) standIn.restart(100)
      else standIn.dropConnections()
      if (round === 5) slow.release()
      if (round === 7) followers.push(follow(store, { after: null }))
    }
    for (const follower of [...followers, slow]) await receives(follower, ids)
    await eventually(() => followers.every(({ isLive }) => isLive()))
    await write(1)
    await areOne()
    await Promise.all([...followers, slow].map(({ stop }) => stop()))
  })

  it('do not report that they are live at an end that was known before the server went away', async () => {
    const { store, standIn } = stores
    const early = follow(store, { after: null })
    const ids = await write(3)
    await receives(early, ids)
    await areOne()
    standIn.restart(1_500)
    await eventually(() => stores.failures.length > 0)
    const late = follow(store, { after: early.batches.at(-1)!.checkpoint })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(late.batches.filter(({ live }) => live)).to.deep.equal([])
    await eventually(() => late.isLive())
    await receives(late, await write(1))
    await Promise.all([early.stop(), late.stop()])
  })
})
