import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { startOwnStandIn } from '../../harness/eventstoredb/process.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import {
  appended,
  eventsOf,
  follow,
  idsOf,
  part,
  readStream,
  revisionsOf,
  streamName,
} from '../../contract/event-store/harness.ts'
import { errorOf } from '../../harness/outcomes.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

describe('retention and erasure in EventStoreDB', () => {
  let stores: StandInStores
  let client: EventStoreDBClient
  beforeEach(async () => {
    stores = await openStandInStores()
    client = EventStoreDBClient.connectionString(stores.url)
  })
  afterEach(async () => {
    await client.dispose()
    await stores.close()
  })

  const metadataOf = async (stream: string): Promise<unknown> =>
    (await client.getStreamMetadata(`test.${stream}`)).metadata

  const post = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${stores.standIn.port}${path}`, { method: 'POST', headers: { accept: 'application/json' } })

  const eraseOne = async (): Promise<string[]> => {
    const { store } = stores
    const stream = streamName()
    const events = eventsOf(5)
    await appended(store, [part(stream, NO_STREAM, events)])
    await appended(store, [part(streamName(), NO_STREAM)])
    await store.erase(stream)
    return idsOf(events)
  }

  const inEverything = async (ids: readonly string[]): Promise<string[]> =>
    idsOf(await stores.store.readAll(null, 1_000)).filter((id) => ids.includes(id))

  it('set the maximum age of a stream before its first event', async () => {
    const { store } = stores
    await store.retain('kept-', 3_600)
    await store.retain('kept-longer-', 7_200)
    const [kept, longer, other] = ['kept-a', 'kept-longer-a', streamName()]
    await appended(store, [part(kept, NO_STREAM), part(longer, NO_STREAM), part(other, NO_STREAM)])
    expect(await metadataOf(kept)).to.deep.equal({ maxAge: 3_600 })
    expect(await metadataOf(longer)).to.deep.equal({ maxAge: 7_200 })
    expect(await metadataOf(other)).to.equal(undefined)
    const first = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 5 })
    const names: string[] = []
    for await (const { event } of first) names.unshift(event!.streamId)
    expect(names.indexOf('$$test.kept-a')).to.be.lessThan(names.indexOf('test.kept-a'))
  })

  it('change the maximum age of a stream that began with another one, and keep its other metadata', async () => {
    const { store, another } = stores
    await store.retain('kept-', 3_600)
    await appended(store, [part('kept-a', NO_STREAM, eventsOf(3))])
    await client.setStreamMetadata('test.kept-a', { maxAge: 3_600, truncateBefore: 1, owner: 'somebody' })
    const next = await another()
    await next.retain('kept-', 60)
    await appended(next, [part('kept-a', 2)])
    expect(await metadataOf('kept-a')).to.deep.equal({ maxAge: 60, truncateBefore: 1, owner: 'somebody' })
    await next.erase('kept-a')
    expect(await metadataOf('kept-a')).to.deep.equal({ maxAge: 60, truncateBefore: 3, owner: 'somebody' })
    expect(revisionsOf(await readStream(next, 'kept-a'))).to.deep.equal([3])
  })

  it('answer a repeated append of expired events with a position that is not before them', async () => {
    const { store } = stores
    await store.retain('kept-', 1)
    const unit = [part('kept-a', NO_STREAM, eventsOf(2))]
    const checkpoint = await appended(store, unit)
    await eventually(async () => (await readStream(store, 'kept-a')).length === 0)
    const again = await appended(store, unit)
    expect(store.isAfter(checkpoint, again)).to.equal(false)
    expect(again).to.equal(await store.end())
  })

  it('remove erased events except the last one in a scavenge', async () => {
    const ids = await eraseOne()
    expect(await inEverything(ids)).to.deep.equal(ids)
    await stores.store.expire()
    expect(await inEverything(ids)).to.deep.equal(ids.slice(-1))
  })

  it('remove nothing while the clock of the server is ahead, because only that clock says what has expired', async () => {
    const { store, standIn } = stores
    await store.retain('kept-', 30 * 86_400)
    const events = eventsOf(3)
    await appended(store, [part('kept-a', NO_STREAM, events)])
    standIn.troubles.clock_ahead_ms = 40 * 86_400_000
    expect(await readStream(store, 'kept-a')).to.deep.equal([])
    const refused = await store.expire().then(String, (error: Error) => error.message)
    standIn.troubles.clock_ahead_ms = 0
    expect(idsOf(await readStream(store, 'kept-a'))).to.deep.equal(idsOf(events))
    expect(refused).to.match(/clock of EventStoreDB is 40\.0 days ahead/)
    await store.expire()
    expect(idsOf(await readStream(store, 'kept-a'))).to.deep.equal(idsOf(events))
  })

  it('remove erased events even if the next scavenge only finishes an interrupted one', async () => {
    stores.standIn.troubles.interrupt_scavenges = 1
    expect((await post('/admin/scavenge')).status).to.equal(200)
    await eventually(() => stores.standIn.troubles.interrupt_scavenges === 0)
    const ids = await eraseOne()
    await stores.store.expire()
    expect(await inEverything(ids)).to.deep.equal(ids.slice(-1))
  })

  it('remove erased events even if another process erased them after an interrupted scavenge', async () => {
    const { standIn, another } = stores
    standIn.troubles.interrupt_scavenges = 1
    expect((await post('/admin/scavenge')).status).to.equal(200)
    await eventually(() => standIn.troubles.interrupt_scavenges === 0)
    const ids = await eraseOne()
    await (await another()).expire()
    expect(await inEverything(ids)).to.deep.equal(ids.slice(-1))
    // The repetition is reported.
    expect(stores.failures.map(String).join()).to.include('scavenge')
  })

  it('leave nothing behind if a scavenge is interrupted again and again', async () => {
    const ids = await eraseOne()
    stores.standIn.troubles.interrupt_scavenges = 2
    await stores.store.expire()
    expect(await inEverything(ids)).to.deep.equal(ids.slice(-1))
  })

  it('remove erased events even if another scavenge is already running', async () => {
    const ids = await eraseOne()
    stores.standIn.troubles.scavenge_ms = 1_000
    expect((await post('/admin/scavenge')).status).to.equal(200)
    expect((await post('/admin/scavenge')).status).to.equal(400)
    await stores.store.expire()
    expect(await inEverything(ids)).to.deep.equal(ids.slice(-1))
  })

  it('fail, as does the measurement of the disk, if something else answers the HTTP requests', async () => {
    const { store, standIn } = stores
    for (const page of ['<html></html>', '']) {
      standIn.troubles.page = page
      const [disk, scavenge] = await Promise.all([errorOf(store.disk!()), errorOf(store.expire())])
      expect(disk?.message).to.equal('/stats: 200 the answer is not JSON')
      expect(scavenge?.message).to.equal('/admin/scavenge: 200 the answer is not JSON')
    }
    standIn.troubles.page = null
    expect(await store.disk!()).to.have.property('space')
    await store.expire()
  })

  it('leave numbering, checkpoints and open subscriptions unchanged', async () => {
    const { store } = stores
    const stream = streamName()
    const middle = await appended(store, [part(stream, NO_STREAM, eventsOf(4))])
    const open = follow(store, { after: null })
    await eventually(() => open.events().length === 4)
    await appended(store, [part(stream, 3)])
    await store.erase(stream)
    await store.expire()
    await appended(store, [part(stream, 4)])
    await eventually(() => open.events().length === 6)
    await open.stop()
    expect(revisionsOf(await store.readAll(middle, 10))).to.deep.equal([4, 5])
    expect(revisionsOf(await readStream(store, stream))).to.deep.equal([4, 5])
  })
})

describe('a scavenge of an EventStoreDB that is killed during it', () => {
  it('is repeated as soon as the server is back', async () => {
    const server = await startOwnStandIn()
    const store = await openEventStoreDb({ url: server.url, prefix: 'test.', parse: unparsed })
    const order = (troubles: object) =>
      fetch(`http://127.0.0.1:${server.port}/stand-in/troubles`, { method: 'POST', body: JSON.stringify(troubles) })
    try {
      const stream = streamName()
      const events = eventsOf(5)
      await appended(store, [part(stream, NO_STREAM, events)])
      await store.erase(stream)
      await order({ scavenge_ms: 600_000 })
      const expiring = store.expire()
      const running = async () => {
        const response = await fetch(`http://127.0.0.1:${server.port}/admin/scavenge/current`)
        return ((await response.json()) as { scavengeId: string }).scavengeId
      }
      await eventually(running)
      await server.kill()
      await server.start()
      await expiring
      const left = idsOf(await store.readAll(null, 1_000))
      expect(left.filter((id) => idsOf(events).includes(id))).to.deep.equal(idsOf(events).slice(-1))
    } finally {
      await store.close()
      await server.remove()
    }
  })
})
