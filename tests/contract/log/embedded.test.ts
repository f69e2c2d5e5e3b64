import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openEmbeddedLog } from '../../../adapters/log/embedded.ts'
import { commitOffset, readOffset } from '../../../adapters/log/offset.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import { NO_STREAM, type EventStore, type LogEntry } from '../../../domain/ports.ts'
import { goldenFile } from '../../corpus/golden-events.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { stockDatabase } from '../../harness/stock-postgres/server.ts'
import { logContract, type LogHarness } from './log-contract.ts'

const embeddedLogHarness = async (url: string, drop: () => Promise<void>): Promise<LogHarness> => {
  await migrateDatabase(url)
  const store = await openPostgresEventStore({ url, parse: parseEvent })
  const database = openDatabase(url)
  const stores: EventStore[] = [store]
  return {
    store,
    log: openEmbeddedLog({ store, database }),
    another: async () => {
      const own = await openPostgresEventStore({ url, parse: parseEvent })
      stores.push(own)
      return openEmbeddedLog({ store: own, database })
    },
    child: { module: new URL('open-embedded-log.ts', import.meta.url).href, argument: url },
    close: async () => {
      await Promise.all(stores.map((one) => one.close()))
      await database.close()
      await drop()
    },
  }
}

logContract('embedded', async () => {
  const test = await freshDatabase()
  return embeddedLogHarness(test.url, test.drop)
})

describe("with Debian's Postgres", () => {
  needsStockPostgres()

  logContract("embedded, on Debian's Postgres with hostile defaults", async () => {
    const test = await stockDatabase({ hostile: true })
    return embeddedLogHarness(test.url(), test.drop)
  })
})

describe('the embedded log', () => {
  it('goes on after the store has refused its subscription for a while', async () => {
    const test = await freshDatabase()
    await migrateDatabase(test.url)
    const store = await openPostgresEventStore({ url: test.url, parse: parseEvent })
    const database = openDatabase(test.url)
    const stop = new AbortController()
    const failures: unknown[] = []
    const types: string[] = []
    try {
      await database.query('ALTER FUNCTION store.page RENAME TO page_elsewhere')
      const log = openEmbeddedLog({ store, database, onFailure: (error) => failures.push(error) })
      const take = async (entries: readonly LogEntry[]) => void types.push(...entries.map(({ type }) => type))
      const ended = log.consume('refused', take, stop.signal)
      await eventually(() => failures.length > 0)
      await database.query('ALTER FUNCTION store.page_elsewhere RENAME TO page')
      const { examples } = goldenFile('TransactionCaptured', 1)!
      const metadata = { user_id: 1, at: new Date().toISOString(), correlation_id: 'c', causation_id: 'c', version: 1 }
      const event = { id: randomUUID(), type: 'TransactionCaptured', data: examples[0], metadata }
      await store.append([[{ stream: 'transaction-1', expectedRevision: NO_STREAM, events: [event] }]])
      await eventually(() => types.length > 0)
      stop.abort()
      await ended
      expect(types).to.deep.equal(['TransactionCaptured'])
    } finally {
      stop.abort()
      await store.close()
      await database.close()
      await test.drop()
    }
  })
})

describe("the embedded log's offsets", () => {
  let test: TestDatabase
  let database: Database
  const store = { isAfter: (a: string, b: string) => Number(a) > Number(b) }
  before(async () => {
    test = await freshDatabase()
    database = openDatabase(test.url)
  })
  after(async () => {
    await database?.close()
    await test?.drop()
  })

  it('advance and never go back, whatever offset a consumer assumes', async () => {
    expect(await readOffset(database, 'a')).to.equal(null)
    expect(await commitOffset(database, store, 'a', '9', null)).to.equal('9')
    expect(await commitOffset(database, store, 'a', '10', '9')).to.equal('10')
    // This consumer has an outdated offset of the group.
    expect(await commitOffset(database, store, 'a', '8', null)).to.equal('10')
    expect(await commitOffset(database, store, 'a', '12', '9')).to.equal('12')
    expect(await readOffset(database, 'a')).to.equal('12')
    expect(await readOffset(database, 'b')).to.equal(null)
  })

  it('end at the furthest of many consumers', async () => {
    const positions = Array.from({ length: 40 }, (_, n) => String((n * 17) % 41))
    await Promise.all(positions.map((position) => commitOffset(database, store, 'c', position, null)))
    expect(await readOffset(database, 'c')).to.equal('40')
  })
})
