/**
 * Fresh databases for tests, on a Postgres that each process of the test run starts once. Its commits do not wait for the disk; tests of
 * durability start their own server.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { createReadModels } from './empty-read-models.ts'
import { startOwnPostgres } from './own-postgres.ts'

/** A database with the tables of this version, and one that also has empty read models. Others are copied from them. */
const [MIGRATED, WITH_READ_MODELS] = ['migrated', 'with_read_models']

const named = (base: string, name: string): string => {
  const url = new URL(base)
  url.pathname = `/${name}`
  return url.href
}

interface TestServer {
  base: string
  administer(statement: string): Promise<void>
  migrated: string
  withReadModels: string
  /** How a database is copied from another one. */
  strategy: string
}

/** The address of the tests' Postgres: a given server, or else one that ends with this process. */
const start = async (): Promise<TestServer> => {
  const given = process.env.TEST_DATABASE_URL
  const base = given ?? (await startOwnPostgres({ durable: false, trusting: true })).url()
  // Without waits for the disk, to copy files takes half the CPU time of writing them to the log.
  const strategy = given ? '' : 'STRATEGY file_copy'
  const suffix = given ? `_${randomBytes(6).toString('hex')}` : ''
  const [migrated, withReadModels] = [MIGRATED + suffix, WITH_READ_MODELS + suffix]
  // Kept open: a new connection takes half as much CPU time as removing a database. It does not keep this process alive.
  const sessions = new pg.Pool({ connectionString: base, idleTimeoutMillis: 0, allowExitOnIdle: true })
  sessions.on('error', () => {})
  const administer = async (statement: string): Promise<void> => void (await sessions.query(statement))
  await administer(`CREATE DATABASE ${migrated}`)
  await migrateDatabase(named(base, migrated))
  await administer(`CREATE DATABASE ${withReadModels} TEMPLATE ${migrated} ${strategy}`)
  await createReadModels(named(base, withReadModels))
  return { base, administer, migrated, withReadModels, strategy }
}

let started: ReturnType<typeof start> | undefined

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

const create = async (templateOf: (server: TestServer) => string): Promise<TestDatabase> => {
  const server = await (started ??= start())
  const { base, administer, strategy } = server
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE ${templateOf(server)} ${strategy}`)
  return { url: named(base, name), drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A new database with the tables of this version. `drop` ends its connections and removes it. */
export const freshDatabase = (): Promise<TestDatabase> => create(({ migrated }) => migrated)

/** The same, open. `close` also removes it. */
export const openFreshDatabase = async (): Promise<{ database: Database; close(): Promise<void> }> => {
  const testDatabase = await freshDatabase()
  const database = openDatabase(testDatabase.url)
  const close = () => database.close().then(testDatabase.drop)
  return { database, close }
}

/** The same with empty read models. */
export const freshReadModels = (): Promise<TestDatabase> => create(({ withReadModels }) => withReadModels)

/** A new database without any table. */
export const emptyDatabase = (): Promise<TestDatabase> => create(() => 'template0')
