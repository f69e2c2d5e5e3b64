/** A server on which Baoco cannot work is refused at the start, in one sentence. */
import { expect } from 'chai'
import pg from 'pg'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import {
  refuseStandby,
  refuseUnsuitable,
  unsuitable,
  UnsuitableServer,
} from '../../../adapters/database/requirements.ts'
import { isOutage } from '../../../adapters/event-store/postgres/outage.ts'
import { emptyDatabase } from '../../harness/postgres.ts'
import { errorOf } from '../../harness/outcomes.ts'

/** A server with a database that its role owns. */
const SUITABLE = {
  version: 150_000,
  encoding: 'UTF8',
  role: 'baoco',
  database: 'baoco',
  is_new: true,
  has_trigrams: true,
  has_icu: true,
  may_create_schemas: true,
  may_create_in_public: true,
  other_owner: null,
  has_foreign_migrations: false,
  closed_schema: null,
}

type Refusal = (named: { role: string; database: string; superuser: string }) => string

/** How a database of the role is changed, and the sentence that refuses it. */
const UNSUITABLE: Record<string, [change: Refusal, refusal: Refusal]> = {
  'that the role does not own': [
    ({ database }) => `ALTER DATABASE ${database} OWNER TO CURRENT_USER`,
    ({ role, database }) =>
      `the role ${role} may not create schemas in the database of DATABASE_URL: ALTER DATABASE ${database} OWNER TO ${role}`,
  ],
  'whose schema public is closed': [
    () => 'ALTER SCHEMA public OWNER TO CURRENT_USER; REVOKE ALL ON SCHEMA public FROM PUBLIC',
    ({ role }) =>
      `the role ${role} may not create tables in the schema public of DATABASE_URL: GRANT CREATE ON SCHEMA public TO ${role}`,
  ],
  'without a schema public': [
    () => 'DROP SCHEMA public CASCADE',
    ({ role }) => `the database of DATABASE_URL has no schema public: CREATE SCHEMA public AUTHORIZATION ${role}`,
  ],
  'whose extension the role may not use': [
    () => 'DROP EXTENSION IF EXISTS pg_trgm; CREATE SCHEMA ext; CREATE EXTENSION pg_trgm SCHEMA ext',
    ({ role }) => `the role ${role} may not use the extension pg_trgm: GRANT USAGE ON SCHEMA ext TO ${role}`,
  ],
  'without ICU': [
    () => 'DROP COLLATION pg_catalog."und-x-icu"',
    () =>
      'the database of DATABASE_URL does not have the collation "und-x-icu": use a Postgres that was built with ICU, as packages are',
  ],
  'restored for another role': [
    () => 'CREATE TABLE public.migrations (id serial, name varchar(255), run_on timestamp)',
    ({ role, superuser }) =>
      `the tables in the database of DATABASE_URL belong to the role ${superuser}, and ${role} may not use them: restore a backup with pg_restore --no-owner --role=${role}`,
  ],
  'of another program': [
    () => 'CREATE TABLE public.migrations (id serial, migration varchar(255), batch integer)',
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

  it('include the extension pg_trgm and ICU for a new database, and not for one that was accepted before', () => {
    expect(unsuitable({ ...SUITABLE, has_trigrams: false })).to.equal(
      'the server of DATABASE_URL does not have the extension pg_trgm: install its contributed modules (package postgresql-contrib)',
    )
    expect(unsuitable({ ...SUITABLE, is_new: false, has_trigrams: null, has_icu: false })).to.equal(null)
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

  describe('refuse these databases, and say what to change: one', () => {
    let drop: () => Promise<void>
    let client: pg.Client
    before(async () => {
      const empty = await emptyDatabase()
      drop = empty.drop
      client = new pg.Client({ connectionString: empty.url })
      await client.connect()
    })
    after(async () => {
      await client?.end()
      await drop?.()
    })
    beforeEach(() => client.query('BEGIN'))
    afterEach(() => client.query('ROLLBACK'))

    const named = async () => {
      const { rows } = await client.query<{ role: string; database: string; superuser: string }>(
        `SELECT quote_ident('shop of ' || current_database()) AS role, quote_ident(current_database()) AS database,
          quote_ident(current_user) AS superuser`,
      )
      return rows[0]!
    }
    const reason = async (change: string, role: string, database: string): Promise<string | null> => {
      await client.query(`CREATE ROLE ${role}; ALTER DATABASE ${database} OWNER TO ${role}; ${change}`)
      await client.query(`SET LOCAL ROLE ${role}`)
      const asRole = { query: async (text: string) => (await client.query(text)).rows as never[] }
      return (await errorOf(refuseUnsuitable(asRole)))?.message ?? null
    }

    for (const [which, [change, refusal]] of Object.entries(UNSUITABLE))
      it(which, async () => {
        const names = await named()
        expect(await reason(change(names), names.role, names.database)).to.equal(refusal(names))
      })

    it('use no function of a later version, so an old server is named', async () => {
      const { role, database } = await named()
      const removed = 'ALTER FUNCTION pg_catalog.to_regcollation(text) RENAME TO later'
      expect(await reason(removed, role, database)).to.equal(null)
    })

    it('and none that its role owns', async () => {
      const { role, database } = await named()
      expect(await reason('', role, database)).to.equal(null)
    })
  })
})
