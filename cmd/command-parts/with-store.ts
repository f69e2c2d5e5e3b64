// Tests: tests/integration/looking-commands.test.ts
/** Opens the event store for the duration of one command. */
import type { RememberingStore } from '../../adapters/event-store/history.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { openEventStore } from '../process/open-event-store.ts'
import { withDatabase, type DatabaseOptions, type Surroundings } from './with-database.ts'

export const withStore = <Result>(
  work: (around: Surroundings & { store: RememberingStore }) => Promise<Result>,
  options: DatabaseOptions = {},
): Promise<Result> =>
  withDatabase(async (around) => {
    await migrateDatabase(around.url)
    const store = await openEventStore(around.settings, around.url)
    try {
      return await work({ ...around, store })
    } finally {
      await store.close()
    }
  }, options)
