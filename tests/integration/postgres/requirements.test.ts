/** A server on which Baoco cannot work is refused at the start, in one sentence. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import { refuseStandby, unsuitable, UnsuitableServer } from '../../../adapters/database/requirements.ts'
import { isOutage } from '../../../adapters/event-store/postgres/outage.ts'
import { emptyDatabase } from '../../harness/postgres.ts'

/** A server with a database that its role owns. */
const SUITABLE = {
  version: 150_000,
  encoding: 'UTF8',
  role: 'baoco',
  database: 'baoco',
  is_new: true,
  may_create_schemas: true,
  may_create_in_public: true,
  has_foreign_migrations: false,
  closed_schema: null,
}

/** A role with a database of its own or of another role, on the server of `emptyDatabase`. */
const databaseOf = async (prepare: (client: pg.Client, role: string) => Promise<unknown>, isOwner = true) => {
  const empty = await emptyDatabase()
  const client = new pg.Client({ connectionString: empty.url })
  await client.connect()
  const role = `shop_${randomUUID().slice(0, 8).replaceAll('-', '')}`
  await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
  const { rows } = await client.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
  const { name } = rows[0]!
  if (isOwner) await client.query(`ALTER DATABASE ${name} OWNER TO ${role}`)
  await prepare(client, role)
  const url = new URL(empty.url)
  url.username = role
  url.password = 'secret'
  return {
    role,
    name,
    url: url.href,
    drop: async () => {
      await client.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`)
      await client.end()
      await empty.drop()
    },
  }
}

type Refusal = (named: { role: string; name: string }) => string

/** How it is prepared, whether the role owns it, and the sentence that refuses it. */
const UNSUITABLE: Record<string, [(client: pg.Client, role: string) => Promise<unknown>, boolean, Refusal]> = {
  'that the role does not own': [
    () => Promise.resolve(),
    false,
    ({ role, name }) =>
      `the role ${role} may not create schemas in the database of DATABASE_URL: ALTER DATABASE ${name} OWNER TO ${role}`,
  ],
  'whose schema public is closed': [
    (client, role) =>
      client.query(`ALTER SCHEMA public OWNER TO CURRENT_USER; REVOKE ALL ON SCHEMA public FROM PUBLIC, ${role}`),
    true,
    ({ role }) =>
      `the role ${role} may not create tables in the schema public of DATABASE_URL: GRANT CREATE ON SCHEMA public TO ${role}`,
  ],
  'without a schema public': [
    (client) => client.query('DROP SCHEMA public CASCADE'),
    true,
    ({ role }) => `the database of DATABASE_URL has no schema public: CREATE SCHEMA public AUTHORIZATION ${role}`,
  ],
  'whose extension the role may not use': [
    (client) =>
      client.query('DROP EXTENSION IF EXISTS pg_trgm; CREATE SCHEMA ext; CREATE EXTENSION pg_trgm SCHEMA ext'),
    true,
    ({ role }) => `the role ${role} may not use the extension pg_trgm: GRANT USAGE ON SCHEMA ext TO ${role}`,
  ],
  'of another program': [
    (client) => client.query('CREATE TABLE public.migrations (id serial, migration varchar(255), batch integer)'),
    true,
    () =>
      'the database of DATABASE_URL belongs to another program, which has a table public.migrations: create a database for Baoco',
  ],
}

describe('the requirements of a Postgres server', () => {
  it('are version 15 or later and UTF-8', () => {
    expect(unsuitable(SUITABLE)).to.equal(null)
    expect(unsuitable({ ...SUITABLE, version: 140_012 })).to.equal(
      'the server of DATABASE_URL is Postgres 14: use version 15 or later',
    )
    expect(unsuitable({ ...SUITABLE, version: 180_000, encoding: 'LATIN1' })).to.equal(
      "the database of DATABASE_URL has the encoding LATIN1: create it with ENCODING 'UTF8' TEMPLATE template0",
    )
  })

  it('are checked before anything is created', async () => {
    const other = await emptyDatabase()
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    await client.query(
      `CREATE DATABASE of_bytes ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    )
    const url = new URL(other.url)
    url.pathname = '/of_bytes'
    try {
      const error = await migrateDatabase(url.href).catch((reason: Error) => reason)
      expect(error).to.be.instanceOf(UnsuitableServer)
      expect((error as Error).message).to.include('SQL_ASCII')
    } finally {
      await client.query('DROP DATABASE of_bytes')
      await client.end()
      await other.drop()
    }
  })

  it('include that the server is not a standby. A start waits until it is promoted', async () => {
    const server = (is_standby: boolean) => ({ query: () => Promise.resolve([{ is_standby }] as never[]) })
    const error = await refuseStandby(server(true)).catch((reason: Error) => reason)
    expect(isOutage(error)).to.equal(true)
    expect((error as Error).message).to.contain('is a standby')
    await refuseStandby(server(false))
  })

  for (const [which, [prepare, isOwner, refusal]] of Object.entries(UNSUITABLE))
    it(`refuse a database ${which}, and say what to change`, async () => {
      const database = await databaseOf(prepare, isOwner)
      try {
        const error = await migrateDatabase(database.url).catch((reason: Error) => reason)
        expect((error as Error).message).to.equal(refusal(database))
        expect(error).to.be.instanceOf(UnsuitableServer)
      } finally {
        await database.drop()
      }
    })
})
