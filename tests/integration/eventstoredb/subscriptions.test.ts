import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { expect } from 'chai'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import {
  appended,
  eventsOf,
  follow,
  idsOf,
  part,
  readToEnd,
  streamName,
  upTo,
} from '../../contract/event-store/harness.ts'
import { openProxy, type Proxy } from '../../contract/event-store/proxy.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

describe('subscriptions to EventStoreDB', () => {
  let stores: StandInStores
  beforeEach(async () => (stores = await openStandInStores()))
  afterEach(() => stores.close())

  it('continue after every broken connection, without gap or repeat', async () => {
    const { store, standIn, failures } = stores
    const following = follow(store, { after: null, maxBatch: 7 })
    const ids: string[] = []
    for (let round = 0; round < 15; round++) {
      const events = eventsOf(20)
      await appended(store, [part(streamName(), NO_STREAM, events)])
      ids.push(...idsOf(events))
      await eventually(() => following.events().length > ids.length - 10)
      standIn.dropConnections()
    }
    await eventually(() => following.events().length >= ids.length)
    await eventually(() => following.isLive())
    await following.stop()
    expect(idsOf(following.events())).to.deep.equal(ids)
    expect(failures).to.not.be.empty
  })

  it('report an outage once, however many of them and of other calls fail, and its end with the number of failures', async () => {
    const { store, standIn, failures, recoveries } = stores
    const open = upTo(5).map(() => follow(store, { after: null }))
    await eventually(() => open.every(({ isLive }) => isLive()))
    for (let outage = 1; outage <= 3; outage++) {
      standIn.restart(500)
      // All subscriptions that are level share one on the server, so calls fail beside it.
      await Promise.all(upTo(5).map(() => store.read([{ stream: streamName() }])))
      await eventually(() => recoveries.length === outage, { what: `the end of outage ${outage}` })
    }
    await Promise.all(open.map((each) => each.stop()))
    expect(failures).to.have.length(3)
    for (const failure of failures) expect((failure as Error).message).to.match(/^127\.0\.0\.1:\d+: ./)
    for (const { failures: count, seconds } of recoveries) {
      expect(count).to.be.greaterThan(5)
      expect(seconds).to.be.within(0, 30)
    }
  })

  it('name the server, and say so if it does not speak TLS', async () => {
    const { standIn, another } = stores
    const store = await another({ url: `esdb://admin:hunter2@127.0.0.1:${standIn.port}`, deadlineMs: 500 })
    const error = await store.read([{ stream: 'a' }]).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(StoreUnavailable)
    const { message } = (error as StoreUnavailable).cause as Error
    expect(message).to.equal(`127.0.0.1:${standIn.port}: the server speaks no TLS: add ?tls=false`)
  })

  describe('over a connection that has gone silent', () => {
    let proxy: Proxy
    beforeEach(async () => (proxy = await openProxy(stores.standIn.port)))
    afterEach(() => proxy.close())

    it('are made again over a new connection if the server does not confirm them', async () => {
      const through = await stores.another({ url: standInUrl(proxy.port), deadlineMs: 400 })
      await appended(through, [part(streamName(), NO_STREAM)])
      proxy.silence()
      const following = follow(through, { after: null })
      await eventually(() => following.isLive(), { within: 5_000 })
      await following.stop()
      expect(following.events()).to.have.length(1)
    })

    it('detect the silence within 15 seconds, even without other calls', async () => {
      const through = await stores.another({ url: standInUrl(proxy.port) })
      const following = follow(through, { after: null })
      await eventually(() => following.isLive())
      proxy.silence()
      await appended(stores.store, [part(streamName(), NO_STREAM)])
      await eventually(() => following.events().length === 1, { within: 18_000 })
      await following.stop()
    })
  })

  it('never report a checkpoint that is ahead of an event still to come', async () => {
    const { store, url } = stores
    const client = EventStoreDBClient.connectionString(url)
    const mine: string[] = []
    for (let round = 0; round < 4; round++) {
      // Other events on the same server make it send checkpoints in between, long before our events are consumed.
      const foreign = upTo(700).map(() => jsonEvent({ type: 'Foreign', data: {} }))
      await client.appendToStream('foreign', foreign)
      const events = eventsOf(40)
      await appended(store, [part(streamName(), NO_STREAM, events)])
      mine.push(...idsOf(events))
    }
    await client.dispose()
    const following = follow(store, { after: null, maxBatch: 5 }, async ({ events }) => {
      if (events.length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    })
    await eventually(() => following.isLive())
    await following.stop()
    expect(idsOf(following.events())).to.deep.equal(mine)
    following.batches.forEach(({ checkpoint }, index) => {
      const next = following.batches.slice(index + 1).find(({ events }) => events.length > 0)?.events[0]
      if (next)
        expect(store.isAfter(next.checkpoint, checkpoint), `${next.checkpoint} after ${checkpoint}`).to.equal(true)
    })
  })

  it('advance past more than a thousand events of other programs on the same server', async () => {
    const { store, url } = stores
    const last = await appended(store, [part(streamName(), NO_STREAM)])
    const following = follow(store, { after: last })
    await eventually(() => following.isLive())
    const client = EventStoreDBClient.connectionString(url)
    await client.appendToStream(
      'foreign',
      upTo(1_200).map(() => jsonEvent({ type: 'Foreign', data: {} })),
    )
    await client.dispose()
    await eventually(() => store.isAfter(following.batches.at(-1)!.checkpoint, last), { what: 'a later checkpoint' })
    await following.stop()
    expect(following.events()).to.deep.equal([])
  })

  it('receive only the events of their own installation', async () => {
    const { store, another } = stores
    const neighbour = await another({ prefix: 'neighbour.' })
    const stream = streamName()
    const mine = await appended(store, [part(stream, NO_STREAM, eventsOf(2))])
    const theirs = await appended(neighbour, [part(stream, NO_STREAM, eventsOf(3))])
    for (const [who, count, end] of [
      [store, 2, mine],
      [neighbour, 3, theirs],
    ] as const) {
      const following = follow(who, { after: null })
      await eventually(() => following.isLive())
      await following.stop()
      expect(following.events()).to.have.length(count)
      expect(await readToEnd(who, null)).to.have.length(count)
      expect(await who.end()).to.equal(end)
    }
  })

  it('of an empty store are live at once, and have no end', async () => {
    const { store } = stores
    expect(await store.end()).to.equal(null)
    const following = follow(store, { after: null })
    await eventually(() => following.isLive())
    await following.stop()
    const rest = follow(store, { after: following.batches.at(-1)!.checkpoint })
    await eventually(() => rest.isLive())
    await appended(store, [part(streamName(), NO_STREAM)])
    await eventually(() => rest.events().length === 1)
    await rest.stop()
  })

  it('refuse a checkpoint that this store never issued', async () => {
    const { store } = stores
    expect(() => store.isAfter('17', '1/1')).to.throw(RangeError)
    expect(await store.readAll('17', 1).catch((error: unknown) => error)).to.be.instanceOf(RangeError)
  })
})
