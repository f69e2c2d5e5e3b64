// Tests: tests/integration/looking-commands.test.ts
/** Opens the database for the duration of one command: the configured one, or the embedded one, which `serve` may be running. */
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

/** Opens the database, runs the work, and closes the database even if the work fails. */
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
