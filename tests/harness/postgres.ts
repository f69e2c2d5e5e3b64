/**
 * Fresh databases for tests, on a Postgres that each process of the test run starts once. Its commits do not wait for the disk; tests of
 * durability start their own server.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { startOwnPostgres } from './own-postgres.ts'

/** A database with the tables of this version, used as a template for others. */
const TEMPLATE = 'migrated'

const administer = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const named = (base: string, name: string): string => {
  const url = new URL(base)
  url.pathname = `/${name}`
  return url.href
}

interface TestServer {
  base: string
  template: string
  /** How a database is copied from the template. */
  strategy: string
}

/** The address of the tests' Postgres: a given server, or else one that ends with this process. */
const start = async (): Promise<TestServer> => {
  const given = process.env.TEST_DATABASE_URL
  const base = given ?? (await startOwnPostgres({ durable: false, trusting: true })).url()
  const template = given ? `${TEMPLATE}_${randomBytes(6).toString('hex')}` : TEMPLATE
  await administer(base, `CREATE DATABASE ${template}`)
  await migrateDatabase(named(base, template))
  // Without waits for the disk, to copy files takes half the CPU time of writing them to the log.
  return { base, template, strategy: given ? '' : 'STRATEGY file_copy' }
}

let started: ReturnType<typeof start> | undefined

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

const create = async (from: string | null): Promise<TestDatabase> => {
  const { base, template, strategy } = await (started ??= start())
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(base, `CREATE DATABASE ${name} TEMPLATE ${from ?? template} ${strategy}`)
  return { url: named(base, name), drop: () => administer(base, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A new database with the tables of this version. `drop` ends its connections and removes it. */
export const freshDatabase = (): Promise<TestDatabase> => create(null)

/** A new database without any table. */
export const emptyDatabase = (): Promise<TestDatabase> => create('template0')
