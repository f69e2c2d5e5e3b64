// Tests: tests/integration/migrate.test.ts
/**
 * Creates and updates the database's tables from the numbered SQL files in `migrations/`. Each file runs once, in order.
 * Either all new files run or none.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { runner } from 'node-pg-migrate'
import { openDatabase, type Database } from './database.ts'
import { refuseUnsuitable, UnsuitableServer } from './requirements.ts'

/** Every problem is also reported as an error. */
const silent = { info: () => {}, warn: () => {}, error: () => {} }

const FOLDER = fileURLToPath(new URL('migrations', import.meta.url))
const MIGRATION = '\\d+_.*\\.sql$'
const TABLE = 'migrations'

/**
 * If the process is killed, the server notices that its connection is gone and ends the statement, such as the build of an index. Otherwise
 * the next start would wait for work that is then undone. A server whose system cannot check the connection refuses the setting.
 */
const END_WITH_CLIENT = `SET client_connection_check_interval = '1s'`

/**
 * Files that versions before the first release had for some hours. The first was taken back, and the functions that it changed still do
 * the same. The second is now number 044, which does nothing if its table exists. The runner refuses a database that has run an unknown file.
 */
const GONE = ['041_announcements', '046_process_clock']

/** SQLSTATE of what a file finds if another program has schemas or tables of the same names: no right, no such column, another kind of relation. */
const AMONG_OTHERS = new Set(['42501', '42703', '42809'])
const OWN_DATABASE = '. Do tables of another program or role have the same names? Baoco needs a database of its own'

/**
 * Processes that start at the same time wait for each other.
 * @param databaseUrl  `postgres://…`
 * @param folder  the folder of the SQL files
 * @param stopping  interrupts it; the database is then unchanged
 * @returns names of the files that this call ran
 * @throws {UnsuitableServer} · an error if a file fails; the database is then unchanged
 */
export const migrateDatabase = async (
  databaseUrl: string,
  folder = FOLDER,
  stopping = new AbortController().signal,
): Promise<string[]> => {
  // Our own connection: if it breaks, the migration fails but the process does not, and it is closed when this function
  // returns.
  const database = openDatabase(databaseUrl, { poolSize: 1, applicationName: 'baoco migrate' })
  const orSay = <Result>(what: string, work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      if (error instanceof UnsuitableServer) throw error
      const { message, code } = error as NodeJS.ErrnoException
      const advice = code && AMONG_OTHERS.has(code) ? OWN_DATABASE : ''
      throw new Error(`the database could not be ${what}: ${message || code}${advice}`, { cause: error })
    })
  try {
    await orSay('opened', refuseUnsuitable(database))
    return await orSay('migrated', migrate(database, folder, stopping))
  } finally {
    await database.close()
  }
}

const migrate = async (database: Database, folder: string, stopping: AbortSignal): Promise<string[]> => {
  const earlier = await namesOfRun(database)
  if (isCurrent(earlier, folder)) return []
  if (earlier.some((name) => GONE.includes(name)))
    await database.query(`DELETE FROM public.${TABLE} WHERE name = ANY ($1)`, [GONE])
  const dbClient = await database.connect()
  const interrupt = (): void => void dbClient.end().catch(() => {})
  if (stopping.aborted) interrupt()
  stopping.addEventListener('abort', interrupt, { once: true })
  await dbClient.query(END_WITH_CLIENT).catch(() => {})
  const ran = await runner({
    dbClient,
    dir: folder,
    ignorePattern: `(?!${MIGRATION}).*`,
    direction: 'up',
    migrationsTable: TABLE,
    checkOrder: true,
    singleTransaction: true,
    advisoryLockMode: 'wait',
    logger: silent,
  }).finally(() => {
    stopping.removeEventListener('abort', interrupt)
    return dbClient.end()
  })
  return ran.map(({ name }) => name)
}

/** The names of the files that have run. */
const namesOfRun = async (database: Database): Promise<string[]> => {
  const [table] = await database.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `public.${TABLE}`,
  ])
  if (!table!.exists) return []
  return (await database.query<{ name: string }>(`SELECT name FROM public.${TABLE}`)).map(({ name }) => name)
}

/** Whether exactly the files of the folder have run. Most starts end here, because the runner takes 30 ms to find out the same. */
const isCurrent = (ran: readonly string[], folder: string): boolean => {
  const files = readdirSync(folder).filter((file) => new RegExp(`^${MIGRATION}`).test(file))
  return isDeepStrictEqual(ran.map((name) => `${name}.sql`).toSorted(), files.toSorted())
}
