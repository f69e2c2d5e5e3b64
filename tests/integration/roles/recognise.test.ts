/** Tests which settings fit together, and which are refused in one line. */
import { expect } from 'chai'
import { systemClock as clock } from '../../../adapters/system/clock.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { eventsMoved, servedBy } from '../../../adapters/postgres/ops/installation.ts'
import { eventsAreHere, recognise } from '../../../cmd/process/recognise-installation.ts'
import { IMPORT_STREAM } from '../../../domain/import.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { errorOf } from '../../harness/outcomes.ts'

const eventStorePrefix = 'baoco.'
const ON_POSTGRES = { eventStoreUrl: undefined, eventStorePrefix }
const ON_EVENTSTOREDB = { eventStoreUrl: 'esdb://localhost:2113', eventStorePrefix }

describe('an installation', () => {
  let servers: { database: Database; store: EventStore; test: TestDatabase }[] = []

  /** Opens read models and an event store. The settings say which kind of store it is. */
  const open = async () => {
    const test = await freshDatabase()
    const [database, store] = [
      openDatabase(test.url),
      await openPostgresEventStore({ url: test.url, parse: parseEvent }),
    ]
    servers.push({ database, store, test })
    return { database, store, clock }
  }
  const refusal = async (around: Parameters<typeof recognise>[0]): Promise<string | undefined> =>
    (await errorOf(recognise(around)))?.message

  afterEach(async () => {
    for (const { database, store, test } of servers) {
      await store.close()
      await database.close()
      await test.drop()
    }
    servers = []
  })

  it('gets its id from the first event of its store, and keeps it at every start', async () => {
    const around = { ...(await open()), settings: ON_POSTGRES }
    const id = await recognise(around)
    const [first] = await around.store.readAll(null, 10)
    expect(first).to.deep.include({
      stream: 'installation',
      type: 'InstallationFounded',
      data: { installation_id: id },
    })
    expect(await recognise(around)).to.equal(id)
    expect(await around.store.readAll(null, 10)).to.have.length(1)
    expect(await servedBy(around.database)).to.deep.equal({ installation_id: id, event_store: 'postgres' })
  })

  it('gets one id if several processes start at once on an empty store', async () => {
    const around = { ...(await open()), settings: ON_POSTGRES }
    const ids = await Promise.all(Array.from({ length: 8 }, () => recognise(around)))
    expect(new Set(ids).size).to.equal(1)
    expect(await around.store.readAll(null, 10)).to.have.length(1)
  })

  it('is refused if the read models belong to another installation', async () => {
    const [one, other] = [await open(), await open()]
    const [id, otherId] = [
      await recognise({ ...one, settings: ON_POSTGRES }),
      await recognise({ ...other, settings: ON_POSTGRES }),
    ]
    const message = await refusal({ ...one, store: other.store, settings: ON_POSTGRES })
    expect(message).to.include('another installation').and.include(id).and.include(otherId).and.include('DATABASE_URL')
    const imported = await errorOf(eventsAreHere({ ...one, store: other.store, settings: ON_POSTGRES }))
    expect(imported?.message).to.equal(message)
  })

  it('is refused while an import into its store has not ended', async () => {
    const around = { ...(await open()), settings: ON_POSTGRES }
    const occasion = { user_id: null, at: clock.now(), correlation_id: 'import', causation_id: 'import' }
    const file = { events: 1, sha256: 'a'.repeat(64) }
    const events = stamp([{ type: 'ImportBegun', data: file }], occasion)
    await around.store.append([[{ stream: IMPORT_STREAM, expectedRevision: -1, events }]])
    expect(await refusal(around))
      .to.include('has not finished')
      .and.include('import-events')
  })

  it('is refused without EVENTSTORE_URL if its events are in EventStoreDB, with advice', async () => {
    const [models, elsewhere] = [await open(), await open()]
    await recognise({ ...models, store: elsewhere.store, settings: ON_EVENTSTOREDB })
    const message = await refusal({ ...models, settings: ON_POSTGRES })
    expect(message).to.include('EVENTSTORE_URL').and.include('import-events').and.not.include('\n')
    // The refusal wrote nothing.
    expect(await models.store.end()).to.equal(null)
  })

  it('is refused with EVENTSTORE_URL if its events are in its Postgres, whether the other store is empty or not', async () => {
    const [models, empty, used] = [await open(), await open(), await open()]
    await recognise({ ...models, settings: ON_POSTGRES })
    await recognise({ ...used, settings: ON_POSTGRES })
    for (const { store } of [empty, used]) {
      const message = await refusal({ ...models, store, settings: ON_EVENTSTOREDB })
      expect(message).to.include('Postgres').and.include('EVENTSTORE_URL').and.include('export-events')
    }
    expect(await empty.store.end()).to.equal(null)
  })

  it('is refused on an empty EventStoreDB if a version that recorded no id had its events in Postgres', async () => {
    const [models, empty] = [await open(), await open()]
    await recognise({ ...models, settings: ON_POSTGRES })
    await models.database.query('DELETE FROM ops.installation')
    expect(await refusal({ ...models, store: empty.store, settings: ON_EVENTSTOREDB })).to.include('export-events')
  })

  it('is refused as a new one if other prefixes may begin with its own, and continues if it has events', async () => {
    const [models, store] = [await open(), await open()]
    const around = { ...models, store: store.store }
    const message = await refusal({ ...around, settings: { ...ON_EVENTSTOREDB, eventStorePrefix: 'baoco' } })
    expect(message).to.match(/^setting EVENTSTORE_PREFIX must end in \. or - [^\n]*baoco\.$/)
    expect(await around.store.end()).to.equal(null)
    const id = await recognise({ ...around, settings: { ...ON_EVENTSTOREDB, eventStorePrefix: 'baoco-' } })
    expect(await recognise({ ...around, settings: { ...ON_EVENTSTOREDB, eventStorePrefix: 'baoco' } })).to.equal(id)
  })

  it('is refused if its EventStoreDB is suddenly empty because of another address or prefix', async () => {
    const [models, elsewhere, empty] = [await open(), await open(), await open()]
    await recognise({ ...models, store: elsewhere.store, settings: ON_EVENTSTOREDB })
    const message = await refusal({ ...models, store: empty.store, settings: ON_EVENTSTOREDB })
    expect(message).to.include('EVENTSTORE_PREFIX')
    expect(await empty.store.end()).to.equal(null)
  })

  it('is accepted in its new store after a store migration', async () => {
    const [models, elsewhere] = [await open(), await open()]
    const id = await recognise({ ...models, settings: ON_POSTGRES })
    const [founded] = await models.store.read([{ stream: 'installation' }])
    await elsewhere.store.append([[{ stream: 'installation', expectedRevision: -1, events: founded! }]])
    const moved = { ...models, store: elsewhere.store, settings: ON_EVENTSTOREDB }
    expect(await refusal(moved)).to.include('export-events')
    await eventsMoved(models.database, { installation_id: id, event_store: 'eventstoredb' })
    expect(await recognise(moved)).to.equal(id)
    // The old store is now refused.
    expect(await refusal({ ...models, settings: ON_POSTGRES })).to.include('EVENTSTORE_URL')
  })
})
