// Tests: tests/integration/store-migration/commands.test.ts
/** `baoco import-events`: fills an empty event store from a file of `export-events`, then sets the positions of all its readers. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { linesOfFile } from '../../adapters/system/lines-of-file.ts'
import { skipToEnd } from '../../adapters/log/kafka/skip-to-end.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { ageFromDecision, relayOf, setReaders } from '../../adapters/postgres/ops/migrated-positions.ts'
import { alone } from '../../adapters/database/presence.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { eventSchemas } from '../../domain/catalogue.ts'
import { projectors } from '../../projections/all.ts'
import { replay } from '../../projections/engine/replay.ts'
import { GROUP } from '../../workflows/deliver/deliver.ts'
import { BadFile, checkFile } from '../../workflows/store-migration/event-file.ts'
import { importEvents, importState, type Imported } from '../../workflows/store-migration/import.ts'
import { KEPT_S } from '../../domain/retention.ts'
import { applyRetention } from '../../workflows/scheduled/expire-events.ts'
import { openEventStore, openRawEventStore } from '../process/open-event-store.ts'
import { kafkaOf } from '../process/open-topic.ts'
import { eventsAreHere, refuseOpenPrefix } from '../process/recognise-installation.ts'
import { interruptible } from '../command-parts/interruptible.ts'
import { reportEventCount } from '../command-parts/progress.ts'
import { withDatabase } from '../command-parts/with-database.ts'

export const importEventsCommand = (program: Command): void => {
  program
    .command('import-events')
    .description('fill an empty event store from a file of export-events; stop all other processes first')
    .argument('[file]', 'default: standard input')
    .option('--one-by-one', 'wait for each append; for servers that may reorder concurrent appends')
    .action((file: string | undefined, { oneByOne = false }: { oneByOne?: boolean }) =>
      interruptible(
        `the import was interrupted: run it again with the same ${file === undefined ? 'input' : 'file'} to continue`,
        () => (file === undefined ? fromStandardInput((kept) => run(kept, oneByOne)) : run(file, oneByOne)),
      ),
    )
}

/** The whole file is checked before any event is stored, so piped input is first written to a temporary file. */
const fromStandardInput = async (work: (file: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'baoco-import-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  // It contains personal data. An import that is interrupted continues with its input from the beginning.
  process.once('exit', remove)
  try {
    const file = join(folder, 'events.jsonl')
    await pipeline(process.stdin, createWriteStream(file, { mode: 0o600 }))
    await work(file)
  } finally {
    remove()
    process.off('exit', remove)
  }
}

const run = async (file: string, oneByOne: boolean): Promise<void> => {
  const lines = () => linesOfFile(file)
  const summary = await checkFile(lines(), (type) => eventSchemas.has(type)).catch((error: unknown) => {
    if (error instanceof BadFile) throw new Error(`nothing was imported: ${error.message}`)
    throw error
  })
  await withDatabase(
    async ({ settings, url, database }) => {
      await migrateDatabase(url)
      await alone(database, 'import-events', async () => {
        const raw = await openRawEventStore(settings, url)
        const store = await openEventStore(settings, url)
        const tables = openReadModelTables(database)
        try {
          if ((await importState(raw)).is === 'none') refuseOpenPrefix(settings)
          await applyRetention(store, settings.keepUnread)
          const settle = async ({ end, readers }: Imported): Promise<void> => {
            if (settings.eventStoreUrl === undefined) await ageFromDecision(database, Object.keys(KEPT_S))
            await eventsAreHere({ settings, store, database })
            const kafka = kafkaOf(settings)
            const atEnd = end && { reactions: end, ...(kafka && { [relayOf(kafka.topic)]: end }) }
            await setReaders(database, { ...atEnd, ...readers }, { group: GROUP, checkpoint: (await store.end())! })
            if (kafka) await skipToEnd(kafka, GROUP)
            for (const definition of projectors(settings)) await replay({ store, tables, definition })
          }
          const onProgress = reportEventCount('stored')
          await importEvents({ store: raw, lines, summary, oneByOne, now: clock.now(), settle, onProgress })
          console.log(`${summary.events} events imported and compared; the read models are built from them`)
        } finally {
          await tables.close()
          await Promise.all([store.close(), raw.close()])
        }
      })
    },
    { creates: true },
  )
}
