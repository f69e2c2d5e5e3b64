/** The database's tables, by the numbered SQL files in `migrations/`: each runs once, in order, all new ones or none. */
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'

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
  const ran = await runner({
    databaseUrl: { connectionString: databaseUrl, application_name: 'baoco migrate' },
    dir: folder,
    ignorePattern: '(?!\\d+_.*\\.sql$).*',
    direction: 'up',
    migrationsTable: 'migrations',
    checkOrder: true,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    logger: silent,
  }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the database could not be migrated: ${error.message || error.code}`, { cause: error })
  })
  return ran.map(({ name }) => name)
}
