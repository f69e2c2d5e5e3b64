/**
 * Store migration: measures `import-events` and `export-events` without the read models, in events/s into and out of a separate Postgres.
 * The file resembles that of a working installation: the events of different transactions are interleaved.
 *
 *     EVENTS=100000 npx tsx bench/store-migration.ts
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KEPT_UNREAD_S } from '../domain/arrival/events.ts'
import { parseEvent } from '../domain/parse-event.ts'
import { openPostgresEventStore } from '../adapters/event-store/postgres/store.ts'
import { linesOfFile } from '../adapters/system/lines-of-file.ts'
import { migrateDatabase } from '../adapters/database/migrate.ts'
import { startOwnPostgres } from '../tests/harness/own-postgres.ts'
import { vietcombankText } from '../tests/harness/bank-texts.ts'
import { checkFile, FileWriter } from '../workflows/store-migration/event-file.ts'
import { exportEvents } from '../workflows/store-migration/export.ts'
import { importEvents } from '../workflows/store-migration/import.ts'

const EVENTS = Number(process.env.EVENTS ?? 100_000)
/** Transactions in progress at a time. */
const UNDER_WAY = 20
const USERS = 8

const now = new Date()

/** Events in roughly the order of storage: a notification is seen and captured, then an attempt, then the new status. */
function* events() {
  const revisions = new Map<string, number>()
  const eventOf = (number: number, stream: string, type: string, data: object) => {
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const metadata = {
      user_id: number % USERS,
      at: now.toISOString(),
      correlation_id: randomUUID(),
      causation_id: randomUUID(),
      version: 1,
    }
    return { stream, revision, id: randomUUID(), type, data, metadata }
  }
  const TYPES = ['TransactionCaptured', 'WebhookAttempted', 'WebhookStatusChanged']
  for (let number = 0; ; number++) {
    const text = vietcombankText(number, `DH${number}`)
    yield eventOf(number, `book-${number % USERS}-VCB`, 'NotificationSeen', {
      fingerprint: randomUUID(),
      amount: '100000.00',
    })
    for (const [step, type] of TYPES.entries()) {
      const of = number - step * UNDER_WAY
      if (of >= 0)
        yield eventOf(of, `transaction-${of}`, type, { transaction_id: of, amount: '100000.00', raw_data: text, text })
    }
  }
}

const timed = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
  const began = performance.now()
  const result = await work()
  console.log(`${what}: ${Math.round((EVENTS / (performance.now() - began)) * 1_000)} events/s`)
  return result
}

const folder = await mkdtemp(join(tmpdir(), 'baoco-moving-'))
const server = await startOwnPostgres()
await migrateDatabase(server.url())
const store = await openPostgresEventStore({ url: server.url(), parse: parseEvent })
try {
  const path = join(folder, 'events.jsonl')
  const output = createWriteStream(path)
  const write = async (text: string): Promise<void> => {
    if (!output.write(text)) await once(output, 'drain')
  }
  const writer = new FileWriter()
  let count = 0
  for (const event of events()) {
    if (count++ === EVENTS) break
    await write(writer.line(event))
  }
  await write(writer.end({}).text)
  await once(output.end(), 'finish')

  const lines = () => linesOfFile(path)
  const summary = await timed('check', () => checkFile(lines(), () => true))
  const settle = () => Promise.resolve()
  await timed('import', () => importEvents({ store, lines, summary, now, settle }))
  const readers = { reactions: (await store.end())! }
  await timed('export', () =>
    exportEvents({ store, readers, now, keepUnread: KEPT_UNREAD_S, write: () => Promise.resolve() }),
  )
} finally {
  await store.close()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
}
