// Tests: tests/e2e/main-job-roles.test.ts
/** The first steps of a start: the HTTP servers, which answer health checks from now on, Postgres, and the place of this process in it. */
import { hostname } from 'node:os'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { forgetLeases } from '../../adapters/database/lease.ts'
import { enter } from '../../adapters/database/presence.ts'
import { BY_KEY } from '../../adapters/database/session.ts'
import { watchSettings } from '../../adapters/database/shared-settings.ts'
import { servedBy } from '../../adapters/postgres/ops/installation.ts'
import { watchClock } from '../../adapters/postgres/ops/process-clocks.ts'
import { keepSecrets, type Secrets } from '../../adapters/secrets/secrets.ts'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import type { Disk } from '../../adapters/system/disk.ts'
import { SHARED_NAMES, sharedSettings } from '../settings/shared-settings.ts'
import { openFront, type Front } from './front.ts'
import { diskOf } from './open-server-disks.ts'
import { openPostgres, type Postgres } from './open-postgres.ts'
import type { Opening } from './opening.ts'
import { reportFailures } from './report-failures.ts'
import { watchStart } from './watch-start.ts'

export interface Connections {
  /** The HTTP servers of the process, which answer health checks since the start. */
  front: Front
  /** The URL of the database. */
  databaseUrl: string
  database: Database
  /** The same database, with sessions that begin with `BY_KEY`. */
  byKey: Database
  /** This process started the database, so no earlier process is still connected. */
  isFreshDatabase: boolean
  /** Whether the disk is full, as far as it can be known. */
  disk: Disk
  secrets: Secrets
  /** Names this process to the operator. */
  shownProcess: string
  /** Receives failures that are retried. */
  onFailure: (error: unknown) => void
  /** Ends the watch over what the start waits for. */
  started: () => void
}

/** Waits for a server that is unavailable. */
export const openConnections = async (opening: Opening): Promise<Connections> => {
  const { name, settings, log, metrics, stopping, awaited, onClose } = opening
  const { front, postgres } = await openServers(opening)
  const disk = await diskOf(settings, postgres.url, log)
  onClose(() => disk.close())
  metrics.watchDisk(disk)
  const onFailure = reportFailures(log, disk)
  const database = openDatabase(postgres.url)
  onClose(database.close)
  const started = watchStart({ database, log, stopping, awaited, ownsDatabase: postgres.isFresh })
  onClose(started)
  // Only processes that make first attempts connect. A claim may wait for the disk while the next one begins.
  const byKey = openDatabase(postgres.url, { poolSize: 3, session: BY_KEY })
  onClose(byKey.close)
  if (postgres.isFresh) await forgetLeases(database)
  const presence = await enter(database, name, onFailure)
  onClose(presence.leave)
  const machine = hostname()
  const shownProcess = `${name}, process ${process.pid} on ${machine}`
  const clockWatch = watchClock({ database, clock, process: shownProcess, machine, log })
  onClose(clockWatch.close)
  metrics.watchClock(clockWatch.ahead)
  // The database names an installation only after its secrets exist.
  const secrets = keepSecrets(settings.dataDir, settings, (await servedBy(database)) !== null)
  await presence.show(await sharedSettings(settings, secrets.jwtSecret))
  onClose(watchSettings({ database, names: SHARED_NAMES, log }))
  const { url: databaseUrl, isFresh: isFreshDatabase } = postgres
  return { front, databaseUrl, database, byKey, isFreshDatabase, disk, secrets, shownProcess, onFailure, started } // prettier-ignore
}

/** Opens the HTTP servers and Postgres. The HTTP servers come first if Postgres may have to be waited for. */
const openServers = async (opening: Opening): Promise<{ front: Front; postgres: Postgres }> => {
  const { settings, log, metrics, stopping, awaited, options, onClose } = opening
  const open = async (): Promise<Front> => {
    const front = await openFront({ settings, log, metrics, awaited, servesApi: options.servesApi })
    onClose(front.close)
    return front
  }
  // The embedded database is not awaited. A data folder that is in use is a better reason to refuse than its port.
  const early = settings.databaseUrl === undefined ? null : await open()
  const postgres = await openPostgres(settings, log, stopping, { ...options, awaited })
  onClose(postgres.stop)
  return { front: early ?? (await open()), postgres }
}
