/** What a command of its own needs: the database that `serve` runs, or the one that is set, for the time of its work. */
import { openLogLines, type LogLines } from '../../adapters/telemetry/log-lines.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { attachOrStart } from '../../adapters/postgres/embedded/embedded.ts'
import { readSettings, type Settings } from './settings.ts'

export interface Surroundings {
  settings: Settings
  database: Database
  /** `postgres://…` of that database. */
  url: string
  log: LogLines
}

/** Opens the database, does the work, closes it again, whatever the work came to. */
export const withDatabase = async <Result>(work: (around: Surroundings) => Promise<Result>): Promise<Result> => {
  const settings = readSettings(process.env)
  const log = openLogLines(settings.logLevel)
  const embedded = settings.databaseUrl ? undefined : await attachOrStart({ dataDir: settings.dataDir, log })
  try {
    const url = settings.databaseUrl ?? embedded?.url ?? ''
    const database = openDatabase(url)
    try {
      return await work({ settings, database, url, log })
    } finally {
      await database.close()
    }
  } finally {
    await embedded?.stop()
  }
}
