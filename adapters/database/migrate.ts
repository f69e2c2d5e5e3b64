/** The database's tables, by the numbered SQL files in `migrations/`: each runs once, in order, all new ones or none. */
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { openDatabase, type Database } from './database.ts'

/** What it has to say comes as an error too. */
const silent = { info: () => {}, warn: () => {}, error: () => {} }

const FOLDER = fileURLToPath(new URL('migrations', import.meta.url))

/**
 * Processes that start side by side wait for each other.
 * @param databaseUrl  `postgres://…`
 * @param folder  of the SQL files
 * @returns names of the files that were run now
 * @throws when a file fails; the database is as it was
 */
export const migrateDatabase = async (databaseUrl: string, folder = FOLDER): Promise<string[]> => {
  // A connection of ours: one that breaks fails the migration and never the process, and it is closed when this returns.
  const database = openDatabase(databaseUrl, { poolSize: 1, applicationName: 'baoco migrate' })
  try {
    return await migrate(database, folder)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    throw new Error(`the database could not be migrated: ${message || code}`, { cause: error })
  } finally {
    await database.close()
  }
}

const migrate = async (database: Database, folder: string): Promise<string[]> => {
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
