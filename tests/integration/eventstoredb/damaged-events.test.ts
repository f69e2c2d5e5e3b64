import { binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM as NEW } from '@eventstore/db-client'
import { expect } from 'chai'
import type { RecordedEvent } from '../../../domain/event.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import {
  appended,
  appendOne,
  follow,
  part,
  readStream,
  readToEnd,
  streamName,
} from '../../contract/event-store/harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

describe('a stream of Baoco in EventStoreDB that another program has damaged', () => {
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

  /** Everything that a subscription returns, which must reach an event that is written last. */
  const followed = async (): Promise<RecordedEvent[]> => {
    const last = await appended(stores.store, [part(streamName(), NO_STREAM)])
    const following = follow(stores.store, { after: null })
    await eventually(() => following.events().at(-1)?.checkpoint === last)
    await following.stop()
    return following.events().slice(0, -1)
  }

  it('returns an event without metadata or without JSON like any other, so the parser refuses it', async () => {
    const { store } = stores
    const stream = streamName()
    await client.appendToStream(
      `test.${stream}`,
      [
        jsonEvent({ type: 'Null', data: null as unknown as string, metadata: { m: 1 } }),
        jsonEvent({ type: 'NoMetadata', data: { n: 1 } }),
        binaryEvent({ type: 'Binary', data: Buffer.from([1, 2]), metadata: Buffer.from([255, 0]) }),
      ],
      { expectedRevision: NEW },
    )
    const found = await followed()
    expect(found.map(({ type, data }) => [type, data])).to.deep.equal([
      ['Null', null],
      ['NoMetadata', { n: 1 }],
      ['Binary', undefined],
    ])
    expect(found.map(({ metadata }) => metadata).slice(0, 2)).to.deep.equal([{ m: 1 }, undefined])
    expect(await readStream(store, stream)).to.deep.equal(found)
    expect((await readToEnd(store, null)).slice(0, 3)).to.deep.equal(found)
  })

  it('returns one event for a deleted stream, with the same id everywhere, and all other streams', async () => {
    const { store } = stores
    const [deleted, other] = [streamName(), streamName()]
    await appended(store, [part(deleted, NO_STREAM), part(other, NO_STREAM)])
    await client.tombstoneStream(`test.${deleted}`)
    const [read, rest] = await store.read([{ stream: deleted }, { stream: other }])
    expect(rest).to.have.length(1)
    const found = await followed()
    const tombstone = found.at(-1)!
    expect(tombstone).to.include({ type: '$streamDeleted', stream: deleted })
    expect(Number.isSafeInteger(tombstone.revision)).to.equal(true)
    expect(store.isAfter(tombstone.checkpoint, found[0]!.checkpoint)).to.equal(true)
    expect(read!.map(({ id, revision, type }) => [id, revision, type])).to.deep.equal([
      [tombstone.id, tombstone.revision, '$streamDeleted'],
    ])
    expect((await readToEnd(store, null)).map(({ id }) => id)).to.include(tombstone.id)
  })

  it('refuses an append to a deleted stream as a conflict, and no other append', async () => {
    const { store } = stores
    const [deleted, other] = [streamName(), streamName()]
    await appended(store, [part(deleted, NO_STREAM)])
    await client.tombstoneStream(`test.${deleted}`)
    const results = await store.append([[part(deleted, 0)], [part(other, NO_STREAM)]])
    expect(results.map(({ ok }) => ok)).to.deep.equal([false, true])
    await store.retain('contract-', 60)
    expect((await appendOne(store, [part(deleted, 0)])).ok).to.equal(false)
    await store.erase(deleted)
  })
})
