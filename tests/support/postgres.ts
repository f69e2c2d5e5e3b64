/** A fresh, empty database for a test, on the embedded Postgres that this test run starts once. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { silent } from '../../adapters/log-lines.ts'
import { removePlace } from '../../adapters/postgres/embedded-place.ts'
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'

let started: Promise<{ url: string; stop(): Promise<void> }> | undefined

const startServer = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'baoco-test-'))
  const embedded = await openEmbeddedPostgres({ dataDir, log: silent })
  return { url: embedded.url, stop: () => embedded.stop().then(() => removePlace(dataDir)) }
}

/** Where the tests' Postgres listens: one that is given, else an embedded one, started at the first use. */
const server = async (): Promise<string> => process.env.TEST_DATABASE_URL ?? (await (started ??= startServer())).url

/** Ends the tests' own server, if there is one, and removes its data. */
export const stopTestServer = async (): Promise<void> => {
  await (await started)?.stop()
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
