/** Events that cannot be read, and the operator's decisions about them, in a store that moves. */
import { EventStoreDBClient } from '@eventstore/db-client'
import { expect } from 'chai'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { eventSchemas } from '../../../domain/catalogue.ts'
import type { RecordedEvent } from '../../../domain/event.ts'
import { parseEvent, type StoredEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { main } from '../../../projections/main.ts'
import { replay } from '../../../projections/engine/replay.ts'
import { skipEvent } from '../../../workflows/parked/resolve.ts'
import { storeWithSkips } from '../../../workflows/parked/store-with-skips.ts'
import { NotExportable } from '../../../workflows/store-migration/export.ts'
import { checkFile } from '../../../workflows/store-migration/event-file.ts'
import { openParsedStores, type StandInStores } from '../eventstoredb/stand-in-stores.ts'
import { openSetting, type Setting } from '../projections/setting.ts'
import { eventAt, exported, ignoredBefore, imported, NOW } from './stores.ts'

describe('a store with events that cannot be read', () => {
  let from: Setting
  let raw: EventStore<RecordedEvent>
  let to: Setting
  let standIn: StandInStores<StoredEvent>
  beforeEach(async () => {
    ;[from, to, standIn] = await Promise.all([openSetting(), openSetting(), openParsedStores(parseEvent)])
    raw = await openPostgresEventStore({ url: from.url, parse: unparsed })
  })
  afterEach(async () => {
    await raw.close()
    await Promise.all([from, to, standIn].map((each) => each.close()))
  })

  const clock = { now: () => NOW }
  /** An event as a later release writes it. */
  const odd = (daysAgo: number) => eventAt(daysAgo, 'FromTomorrow', {})
  const ignored = (daysAgo: number) => eventAt(daysAgo, 'NotificationIgnored', ignoredBefore(daysAgo))
  const begin = async (stream: string, events: ReturnType<typeof eventAt>[]): Promise<void> => {
    await from.store.append([[{ stream, expectedRevision: -1, events } as never]])
  }
  const skip = async (store: EventStore, stream: string): Promise<void> => {
    const [events = []] = await store.read([{ stream }])
    const event = events.find(({ type }) => type === 'Unreadable')
    if (event?.type !== 'Unreadable') throw new Error(`${stream} is readable`)
    const { revision, id: event_id, data } = event
    const { problem: reason, detail, stored } = data
    await skipEvent(
      { store, clock },
      { stream, revision, event_id, type: stored.type, reason, detail, projectors: ['main', 'search'] },
    )
  }
  /** Moves the store to Postgres and to EventStoreDB. @returns the types of a stream's events in both */
  const move = async (source: EventStore): Promise<(stream: string) => Promise<string[]>> => {
    const file = await exported(source)
    await checkFile(
      (async function* () {
        yield* file.lines
      })(),
      (type) => eventSchemas.has(type),
    )
    const stores = [to.store, standIn.store]
    for (const store of stores) await imported(store, file)
    return async (stream) => {
      const [one, other] = await Promise.all(
        stores.map(async (store) => (await storeWithSkips(store).read([{ stream }]))[0]!.map(({ type }) => type)),
      )
      expect(one).to.deep.equal(other)
      return one!
    }
  }

  it('keeps the decision to skip an event that the import numbers anew, and skips no other one', async () => {
    await begin('ignored-1', [ignored(40), odd(2), ignored(1)])
    await skip(from.store, 'ignored-1')
    const typesOf = await move(raw as EventStore)
    expect(await typesOf('ignored-1')).to.deep.equal(['Skipped', 'NotificationIgnored'])
    await replay({ store: storeWithSkips(to.store), tables: to.tables, definition: main })
    const { parked, notification } = await to.rows()
    expect(parked).to.deep.equal([])
    expect(notification!.map((row) => (row as { id: unknown }).id)).to.deep.equal([9_000_001])
  })

  for (const column of ['data', 'metadata'])
    it(`moves a skipped event whose ${column} is damaged, and is not exported before the event is skipped`, async () => {
      await begin('ignored-1', [ignored(3), ignored(2), ignored(1)])
      await from.database.query(
        `UPDATE store.event SET ${column} = '{"brok' WHERE stream = 'ignored-1' AND revision = 1`,
      )
      const refusal = await exported(raw as EventStore).catch((error: unknown) => error)
      expect(refusal).to.be.instanceOf(NotExportable)
      expect((refusal as Error).message).to.match(/^ignored-1@1 is not JSON: run `baoco parked skip ignored-1 --yes`/)
      await skip(from.store, 'ignored-1')
      const typesOf = await move(raw as EventStore)
      expect(await typesOf('ignored-1')).to.deep.equal(['NotificationIgnored', 'Skipped', 'NotificationIgnored'])
    })

  it('moves from EventStoreDB without a stream that was deleted there, once the operator has skipped it', async () => {
    const source = await standIn.another({ prefix: 'source.' })
    const client = EventStoreDBClient.connectionString(standIn.url)
    try {
      const append = (stream: string) =>
        source.append([[{ stream, expectedRevision: -1, events: [ignored(1)] } as never]])
      for (const stream of ['ignored-1', 'ignored-2']) await append(stream)
      await client.tombstoneStream('source.ignored-1')
      const stored: EventStore<RecordedEvent> = await openEventStoreDb({
        url: standIn.url,
        prefix: 'source.',
        parse: unparsed,
      })
      const refusal = await exported(stored as EventStore).catch((error: unknown) => error)
      expect((refusal as Error).message).to.match(/^ignored-1@\d+ was deleted in the event store: run/)
      await skip(source, 'ignored-1')
      const typesOf = await move(stored as EventStore)
      await stored.close()
      expect([await typesOf('ignored-1'), await typesOf('ignored-2')]).to.deep.equal([[], ['NotificationIgnored']])
    } finally {
      await client.dispose()
    }
  })

  it('does not skip the last event of a closed stream, whose skipped first one is not moved', async () => {
    await begin('alerts-7', [odd(2), eventAt(1, 'StreamErased', { user_id: 7 })])
    await skip(from.store, 'alerts-7')
    const typesOf = await move(raw as EventStore)
    expect(await typesOf('alerts-7')).to.deep.equal(['StreamErased'])
  })
})
