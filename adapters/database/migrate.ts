// Tests: tests/integration/migrate.test.ts
/**
 * Creates and updates the database's tables from the numbered SQL files in `migrations/`. Each file runs once, in order.
 * Either all new files run or none.
 */
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { openDatabase, type Database } from './database.ts'
import { refuseUnsuitable, UnsuitableServer } from './requirements.ts'

/** Every problem is also reported as an error. */
const silent = { info: () => {}, warn: () => {}, error: () => {} }

const FOLDER = fileURLToPath(new URL('migrations', import.meta.url))

/**
 * Processes that start at the same time wait for each other.
 * @param databaseUrl  `postgres://…`
 * @param folder  the folder of the SQL files
 * @returns names of the files that this call ran
 * @throws {UnsuitableServer} · an error if a file fails; the database is then unchanged
 */
export const migrateDatabase = async (databaseUrl: string, folder = FOLDER): Promise<string[]> => {
  // Our own connection: if it breaks, the migration fails but the process does not, and it is closed when this function
  // returns.
  const database = openDatabase(databaseUrl, { poolSize: 1, applicationName: 'baoco migrate' })
  try {
    return await migrate(database, folder)
  } catch (error) {
    if (error instanceof UnsuitableServer) throw error
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`the database could not be migrated: ${message || code}`, { cause: error })
  } finally {
    await database.close()
  }
}

const migrate = async (database: Database, folder: string): Promise<string[]> => {
  await refuseUnsuitable(database)
  const dbClient = await database.connect()
  const ran = await runner({
    dbClient,
    dir: folder,
    ignorePattern: '(?!\\d+_.*\\.sql$).*',
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    logger: silent,
  }).finally(() => dbClient.end())
  return ran.map(({ name }) => name)
}
