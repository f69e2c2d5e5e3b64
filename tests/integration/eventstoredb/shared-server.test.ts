import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { isStreamName } from '../../../domain/catalogue.ts'
import { appended, eventsOf, follow, idsOf, part, readToEnd, streamName } from '../../contract/event-store/harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { writeForeignEvents } from '../../harness/eventstoredb/foreign-events.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

/** Events of others on the server. */
const FOREIGN = repetitions(1_000_000, 5_000)

describe('an EventStoreDB that others write to', function () {
  this.timeout(900_000)
  let stores: StandInStores
  beforeEach(async () => (stores = await openStandInStores()))
  afterEach(() => stores.close())

  /** The number of events that the server sends for this. */
  const sentFor = async (work: () => Promise<unknown>): Promise<number> => {
    const before = stores.standIn.log.sent
    await work()
    return stores.standIn.log.sent - before
  }

  it('returns the end of an installation without its events being read, and waiters reach it', async () => {
    const { store, standIn, another } = stores
    const events = eventsOf(3)
    const last = await appended(store, [part(streamName(), NO_STREAM, events)])
    const early = follow(store, { after: last, prefixes: ['none-'] })
    await eventually(() => early.isLive())
    await writeForeignEvents(standIn.log, FOREIGN)
    for (const one of [store, await another(), await another()]) {
      let end: string | null = null
      const began = performance.now()
      const sent = await sentFor(async () => (end = await one.end()))
      expect(sent).to.be.lessThan(200)
      expect(performance.now() - began).to.be.lessThan(3_000)
      expect(end).to.not.equal(null)
      expect(store.isAfter(end!, last)).to.equal(true)
      const reached = (following: ReturnType<typeof follow>) => {
        const passed = following.batches.at(-1)?.checkpoint
        return passed !== undefined && !store.isAfter(end!, passed)
      }
      await eventually(() => reached(early), { within: 5_000, what: 'the end in an open subscription' })
      const late = follow(one, { after: last })
      await eventually(() => reached(late) && late.isLive(), { what: 'the end in a new subscription' })
      await late.stop()
      expect(late.events()).to.deep.equal([])
    }
    await early.stop()
    expect(idsOf(await readToEnd(store, null, 1_000))).to.deep.equal(idsOf(events))
  })

  it('returns the newest event itself if it is among the newest ones', async () => {
    const { store, standIn } = stores
    await writeForeignEvents(standIn.log, 100)
    const last = await appended(store, [part(streamName(), NO_STREAM)])
    await writeForeignEvents(standIn.log, 50)
    expect(await store.end()).to.equal(last)
  })

  it('has no end for an installation without events', async () => {
    const { store, standIn } = stores
    await writeForeignEvents(standIn.log, FOREIGN)
    expect(await sentFor(async () => expect(await store.end()).to.equal(null))).to.be.lessThan(200)
    expect(await store.readAll(null, 10)).to.deep.equal([])
  })

  it('keeps one mark of the end at a time', async () => {
    const { store, standIn, url } = stores
    await appended(store, [part(streamName(), NO_STREAM)])
    for (let n = 0; n < 3; n++) {
      await writeForeignEvents(standIn.log, 100)
      await store.end()
    }
    const client = EventStoreDBClient.connectionString(url)
    const marks: bigint[] = []
    for await (const { event } of client.readStream('test.$end')) marks.push(event!.revision)
    await client.dispose()
    expect(marks).to.deep.equal([2n])
  })

  it('can hold installations whose prefixes begin alike, and each reads only its own events', async () => {
    const { another } = stores
    const prefixes = ['baoco', 'baoco.', 'baoco.test.', 'baoco-', 'baoco-test-']
    const all = await Promise.all(prefixes.map((prefix) => another({ prefix, isOwn: isStreamName })))
    const ids: string[][] = []
    for (const store of all) {
      const events = eventsOf(2)
      await appended(store, [part('account-1', NO_STREAM, events)])
      ids.push(idsOf(events))
    }
    for (const [n, store] of all.entries()) {
      const following = follow(store, { after: null })
      await eventually(() => following.isLive() && following.events().length >= 2)
      await following.stop()
      expect(idsOf(following.events()), prefixes[n]).to.deep.equal(ids[n])
      expect(idsOf(await store.readAll(null, 100)), prefixes[n]).to.deep.equal(ids[n])
    }
  })

  it('does not let an installation write events that it would not read', async () => {
    const store = await stores.another({ prefix: 'baoco.', isOwn: isStreamName })
    const refused = await store.append([[part('test.account-1', NO_STREAM)]]).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(RangeError)
  })

  it('may contain events of the server itself under the same prefix, which are never returned', async () => {
    const { store, url } = stores
    const client = EventStoreDBClient.connectionString(url)
    const stream = streamName()
    await appended(store, [part(stream, NO_STREAM)])
    await client.appendToStream(`test.${stream}`, jsonEvent({ type: '$mine', data: {} }))
    await client.dispose()
    await appended(store, [part(stream, 1)])
    const revisions = [0, 2]
    expect((await store.read([{ stream }]))[0]!.map(({ revision }) => revision)).to.deep.equal(revisions)
    expect((await readToEnd(store, null)).map(({ revision }) => revision)).to.deep.equal(revisions)
    const following = follow(store, { after: null })
    await eventually(() => following.isLive())
    await following.stop()
    expect(following.events().map(({ revision }) => revision)).to.deep.equal(revisions)
  })
})
