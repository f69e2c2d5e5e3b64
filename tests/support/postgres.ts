/** A fresh, empty database for a test, on the embedded Postgres that this test run starts once. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Where the tests' Postgres listens: one that is given, else the embedded one, started at the first use. */
const server = async (): Promise<string> => {
  const given = process.env.TEST_DATABASE_URL
  if (!given) throw new Error('TEST_DATABASE_URL is not set')
  return given
}

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
