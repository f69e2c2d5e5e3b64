// Tests: tests/integration/store-migration/commands.test.ts
/** `baoco export-events`: writes the whole event store to one file, for import into another store. */
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { writeNewFile } from '../../adapters/system/new-file.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { readersOfStore } from '../../adapters/postgres/ops/migrated-positions.ts'
import { alone } from '../../adapters/database/presence.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { exportEvents } from '../../workflows/store-migration/export.ts'
import { isPositionIn, type StorePosition } from '../../workflows/support/store-position.ts'
import { openEventStore, openRawEventStore, refuseHalfImported } from '../process/open-event-store.ts'
import { reportEventCount } from '../command-parts/progress.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { withDatabase } from '../command-parts/with-database.ts'

export const exportEventsCommand = (program: Command): void => {
  program
    .command('export-events')
    .description('write all events as JSON lines, to move to another event store; stop all other processes first')
    .argument('[file]', 'new file; default: standard output')
    .action(run)
}

const run = (file: string | undefined): Promise<void> => {
  const signal = stopSignal()
  return withDatabase(async ({ settings, url, database }) => {
    await migrateDatabase(url)
    await alone(database, 'export-events', async (stillAlone) => {
      const raw = await openRawEventStore(settings, url)
      const store = await openEventStore(settings, url)
      try {
        await refuseHalfImported(store)
        const readers = await positionsIn(store, await readersOfStore(database))
        const exportTo = (output: Writable) =>
          exportEvents({
            store: raw,
            readers,
            now: clock.now(),
            keepUnread: settings.keepUnread,
            write: writerTo(output, signal),
            beforeEnd: stillAlone,
            onProgress: reportEventCount('written'),
          })
        const exportToFile = async (output: Writable) => {
          const summary = await exportTo(output)
          await finished(output.end())
          return summary
        }
        const { events } = await (file === undefined
          ? exportTo(process.stdout)
          : writeNewFile(file, exportToFile, signal))
        console.error(`${events} events written${file === undefined ? '' : ` to ${file}`}`)
      } finally {
        await Promise.all([store.close(), raw.close()])
      }
    })
  })
}

/** Keeps only positions of this store. A reader may still have a position from a store before a migration. */
const positionsIn = async (
  store: EventStore,
  readers: Readonly<Record<string, StorePosition>>,
): Promise<Record<string, Checkpoint>> => {
  const known: Record<string, Checkpoint> = {}
  for (const [reader, position] of Object.entries(readers)) {
    if (await isPositionIn(store, position)) known[reader] = position.checkpoint
  }
  return known
}

/** Waits while the output's buffer is full. Fails if the reading end closes, the disk is full or the command is interrupted. */
const writerTo = (output: Writable, signal: AbortSignal) => {
  let failure: Error | null = null
  output.on('error', (error: Error) => (failure = error))
  return async (text: string): Promise<void> => {
    if (failure) throw failure
    if (signal.aborted) throw new Error('the export was interrupted')
    if (!output.write(text)) await once(output, 'drain')
  }
}
