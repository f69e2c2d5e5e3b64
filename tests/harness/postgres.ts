/** A fresh, empty database for a test, on a Postgres that each process of the test run starts once. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'

let started: Promise<OwnPostgres> | undefined

/** Where the tests' Postgres listens: one that is given, else one of our own, started at the first use, ended with this process. */
const server = async (): Promise<string> =>
  process.env.TEST_DATABASE_URL ?? (await (started ??= startOwnPostgres())).url()

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

const administer = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** @returns the url of a new database of its own; `drop` ends its connections and removes it */
export const freshDatabase = async (): Promise<TestDatabase> => {
  const base = await server()
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(base, `CREATE DATABASE ${name}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(base, `DROP DATABASE ${name} WITH (FORCE)`) }
}
