// Tests: tests/integration/looking-commands.test.ts
/** Opens the database for the duration of one command: the configured one, or the embedded one, which `serve` may be running. */
import { relative } from 'node:path'
import { isDataFolder } from '../../adapters/system/data-folder.ts'
import { openLogLines } from '../../adapters/telemetry/log-lines.ts'
import type { LogLines } from '../../domain/ports.ts'
import { certificateRefusal } from '../../adapters/database/client-certificate.ts'
import { isConnectionLost, portIn } from '../../adapters/database/connection-lost.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { attachOrStart } from '../../adapters/postgres/embedded/embedded.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { isOfOutput, notWritten, refusingLostOutput } from './lost-output.ts'

export interface Surroundings {
  settings: Settings
  database: Database
  /** `postgres://…` of that database. */
  url: string
  log: LogLines
}

const refuseWrongFolder = (dataDir: string): void => {
  if (isDataFolder(dataDir)) return
  const inside = relative(process.cwd(), dataDir)
  const shown = inside.startsWith('..') ? dataDir : `./${inside}`
  throw new Error(`there is no Baoco in ${shown}: is BAOCO_DATA_DIR set as for the server?`)
}

const connectionLost = (error: Error): Error => {
  const reason = error.message || (error as NodeJS.ErrnoException).code
  return new Error(`the connection to the database was lost (${reason}): run the command again`, { cause: error })
}

export interface DatabaseOptions {
  /** Whether the command may create a data folder; otherwise it needs one that `serve` created. */
  creates?: boolean
  /** The largest number of connections to the database at a time, besides those of the event store. */
  connections?: number
}

/**
 * Opens the database, runs the work, and closes the database even if the work fails.
 * @throws also if what the work printed could not be written
 */
export const withDatabase = <Result>(
  work: (around: Surroundings) => Promise<Result>,
  { creates = false, connections = 10 }: DatabaseOptions = {},
): Promise<Result> =>
  refusingLostOutput(async () => {
    const settings = readSettings(process.env)
    if (!settings.databaseUrl && !creates) refuseWrongFolder(settings.dataDir)
    const log = openLogLines(settings.logLevel)
    const embedded = settings.databaseUrl ? undefined : await attachOrStart({ dataDir: settings.dataDir, log })
    try {
      const url = settings.databaseUrl ?? embedded?.url ?? ''
      const database = openDatabase(url, { poolSize: connections })
      try {
        // Later, such an error may be about the certificate of another server.
        await database.query('SELECT').catch((error: unknown) => {
          throw certificateRefusal(error) ?? error
        })
        return await work({ settings, database, url, log })
      } catch (error) {
        // A closed pipe has the same code as a lost connection.
        if (isOfOutput(error)) throw notWritten(error as Error)
        throw isConnectionLost(error, portIn(url)) ? connectionLost(error as Error) : error
      } finally {
        await database.close()
      }
    } finally {
      await embedded?.stop()
    }
  })
