// Tests: tests/integration/embedded-postgres.test.ts
/** Opens the Postgres that the settings select, or the embedded one of the data folder, and migrates it to this version. */
import { blockedBy } from '../../adapters/database/blocked.ts'
import { certificateRefusal } from '../../adapters/database/client-certificate.ts'
import { openDatabase } from '../../adapters/database/database.ts'
import { refuseStandby, UnsuitableServer } from '../../adapters/database/requirements.ts'
import { attachOrStart, openEmbeddedPostgres } from '../../adapters/postgres/embedded/embedded.ts'
import { isOutage, isRefusedAtStart } from '../../adapters/event-store/postgres/outage.ts'
import type { LogLines } from '../../domain/ports.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import type { AwaitedServers } from './front.ts'
import type { Settings } from '../settings/settings.ts'
import { StoppedAtStart, untilThere } from './wait-for-servers.ts'

/** That of a first start takes less. */
const MIGRATION_IS_LONG_MS = 5_000
const LOOK_WITHIN_MS = 2_000

export interface Postgres {
  /** `postgres://…` */
  url: string
  /** This process started it, so no earlier process is still connected. */
  isFresh: boolean
  /** Stops the server if this process started it. */
  stop(): Promise<void>
}

/**
 * Waits for a server that is unavailable, and logs that.
 * @param options.ownsDatabase  fails if another process runs the embedded Postgres, instead of using it
 * @param options.awaited  contains `database` or `migration` while this waits
 * @throws {UnsuitableServer} · if the process must stop while it waits
 */
export const openPostgres = async (
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  log: LogLines,
  stopping: AbortSignal,
  { ownsDatabase, awaited }: { ownsDatabase: boolean; awaited: AwaitedServers },
): Promise<Postgres> => {
  // Another process may be migrating, and a large installation may take minutes.
  const migrate = (url: string): Promise<void> =>
    untilThere({
      name: 'migration',
      ask: () => migrateDatabase(url, undefined, stopping),
      isAway: () => false,
      log,
      stopping,
      awaited,
      reportAfterMs: MIGRATION_IS_LONG_MS,
      explain: () => lockAwaited(url),
    })
  if (databaseUrl === undefined) {
    const embedded = await (ownsDatabase ? openEmbeddedPostgres : attachOrStart)({ dataDir, log }).catch(
      (error: unknown) => {
        // A terminal and systemd send the signal to initdb too, which then fails.
        throw stopping.aborted ? new StoppedAtStart('database') : error
      },
    )
    await migrate(embedded.url).catch(async (error: unknown) => {
      await embedded.stop()
      throw error
    })
    return embedded
  }
  const isAway = (error: unknown) => isOutage(error) && !isRefusedAtStart(error) && !(error instanceof UnsuitableServer)
  await untilThere({ name: 'database', ask: () => reach(databaseUrl), isAway, log, stopping, awaited })
  await migrate(databaseUrl)
  return { url: databaseUrl, isFresh: false, stop: async () => {} }
}

/** @returns the lock that a statement of Baoco waits for, and who holds it; null if none does */
const lockAwaited = async (url: string): Promise<string | null> => {
  const database = openDatabase(url, { poolSize: 1, applicationName: 'baoco start' })
  return blockedBy(database.within(LOOK_WITHIN_MS)).finally(() => database.close())
}

const reach = async (url: string): Promise<void> => {
  const database = openDatabase(url, { poolSize: 1, applicationName: 'baoco start' })
  try {
    await refuseStandby(database)
  } catch (error) {
    throw certificateRefusal(error) ?? error
  } finally {
    await database.close()
  }
}
