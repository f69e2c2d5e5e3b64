/**
 * Measures the event store alone: appends/s with 1, 16, 64 and 512 in flight (each append is one new stream with one event of about 0.5
 * KB), compared with single bare INSERTs, and catch-up events/s through a filtered subscription.
 *
 *     npx tsx bench/store.ts [seconds per measurement, default 2]
 *
 * Runs on a separate embedded Postgres, or on `DATABASE_URL`, to which each run adds streams. The durability settings are printed with the
 * figures.
 */
import type { RecordedEvent } from '../domain/event.ts'
import { randomUUID } from 'node:crypto'
import { unparsed } from '../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../adapters/event-store/postgres/store.ts'
import { openDatabase, type Database } from '../adapters/database/database.ts'
import { migrateDatabase } from '../adapters/database/migrate.ts'
import { NO_STREAM, type EventStore } from '../domain/ports.ts'
import { aboutHalfAKilobyte } from './support/half-a-kilobyte.ts'
import { percentile } from './support/load.ts'
import { newDataFolder, removeDataFolder } from '../tests/harness/baoco-process.ts'
import { inside } from '../tests/harness/installation-database.ts'

const IN_FLIGHT = [1, 16, 64, 512]
const CATCH_UP_EVENTS = 50_000

/** Repeats an operation with this many in flight, and prints the operations per second. */
const rate = async (what: string, inFlight: number, seconds: number, once: () => Promise<unknown>): Promise<void> => {
  const durations: number[] = []
  const started = performance.now()
  const end = started + seconds * 1_000
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const before = performance.now()
      await once()
      durations.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  const perSecond = Math.round((durations.length / (performance.now() - started)) * 1_000)
  console.log(
    `${String(inFlight).padStart(4)} in flight: ${perSecond} ${what}/s, ` +
      `p50 ${percentile(durations, 0.5).toFixed(2)} ms, p99 ${percentile(durations, 0.99).toFixed(2)} ms`,
  )
}

const appends = (
  store: EventStore<RecordedEvent>,
  run: string,
  inFlight: number,
  seconds: number,
  beside = '',
): Promise<void> => {
  let count = 0
  return rate(`appends${beside}`, inFlight, seconds, async () => {
    const stream = `bench-${run}-${inFlight}${beside.replaceAll(' ', '-')}-${count++}`
    const [result] = await store.append([[{ stream, expectedRevision: NO_STREAM, events: [aboutHalfAKilobyte()] }]])
    if (!result?.ok) throw new Error('a new stream was refused')
  })
}

/** The machine's rate of single commits: rows as large as the events, in a table without an index. */
const bareInserts = async (database: Database, seconds: number): Promise<void> => {
  const row = JSON.stringify(aboutHalfAKilobyte())
  await database.query('CREATE TABLE bench_row (text text)')
  await rate('bare INSERTs of a row', 1, seconds, () =>
    database.query('INSERT INTO bench_row VALUES ($1)', [row], 'bench_row'),
  )
  await database.query('DROP TABLE bench_row')
}

/** Appends a fixed number of events, then reads them back through a new subscription. */
const catchUp = async (store: EventStore<RecordedEvent>, run: string): Promise<void> => {
  const after = await store.end()
  for (let filled = 0; filled < CATCH_UP_EVENTS; filled += 1_000)
    await store.append(
      Array.from({ length: 1_000 }, (_, index) => [
        {
          stream: `bench-${run}-fill-${filled + index}`,
          expectedRevision: NO_STREAM,
          events: [aboutHalfAKilobyte()],
        },
      ]),
    )
  const stop = new AbortController()
  const started = performance.now()
  let seen = 0
  for await (const { events } of store.subscribe({ after, prefixes: [`bench-${run}-fill-`], signal: stop.signal })) {
    seen += events.length
    if (seen === CATCH_UP_EVENTS) stop.abort()
  }
  console.log(`catch-up: ${Math.round((seen / (performance.now() - started)) * 1_000)} events/s`)
}

/** Like the service: the process that appends also reads the events through live subscriptions. */
const withLiveSubscriptions = async (store: EventStore<RecordedEvent>, work: () => Promise<void>): Promise<void> => {
  const stop = new AbortController()
  const after = await store.end()
  const follow = async (prefixes: string[]): Promise<number> => {
    let seen = 0
    for await (const { events } of store.subscribe({ after, prefixes, signal: stop.signal })) seen += events.length
    return seen
  }
  const following = Promise.all([follow(['bench-']), follow(['bench-', 'transaction-'])])
  await work()
  stop.abort()
  console.log(`      seen meanwhile by the subscriptions: ${(await following).join(', ')} events`)
}

const measure = async (url: string, seconds: number): Promise<void> => {
  await migrateDatabase(url)
  const database = openDatabase(url, { poolSize: 1 })
  const [settings] = await database.query(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
     current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_version') AS server_version`,
  )
  console.log(settings)
  const store = await openPostgresEventStore({ url, parse: unparsed })
  const run = randomUUID().slice(0, 8)
  await bareInserts(database, seconds)
  for (const inFlight of IN_FLIGHT) await appends(store, run, inFlight, seconds)
  await withLiveSubscriptions(store, () => appends(store, run, 64, seconds, ' beside two live subscriptions'))
  await catchUp(store, run)
  await store.close()
  await database.close()
}

const seconds = Number(process.argv[2] ?? 2)
const dataFolder = await newDataFolder()
await inside(dataFolder, (url) => measure(url, seconds), process.env.DATABASE_URL)
await removeDataFolder(dataFolder)
