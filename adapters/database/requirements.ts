// Tests: tests/integration/postgres/requirements.test.ts
/** The requirements of a server, checked before anything is created there. */
import type { Queryable } from '../../projections/engine/queryable.ts'

/** Waiting does not help. The message tells the operator what to do. */
export class UnsuitableServer extends Error {
  override name = 'UnsuitableServer'
}

const OLDEST = 15

interface Server {
  /** Such as 150018. */
  version: number
  encoding: string
  /** Quoted for SQL, as the name of the database. */
  role: string
  database: string
  is_new: boolean
  /** null: the database is not new */
  has_trigrams: boolean | null
  has_icu: boolean
  may_create_schemas: boolean
  /** null: there is no such schema */
  may_create_in_public: boolean | null
  /** Owner of the table `public.migrations`, if the role may not read it. */
  other_owner: string | null
  /** The table `public.migrations` is not that of Baoco. */
  has_foreign_migrations: boolean
  /** The schema of the extension, if the role may not use it. Quoted for SQL. */
  closed_schema: string | null
}

/**
 * It must run on old servers too, so that the answer names their version: `to_regcollation` is missing before version 13. The table that
 * notes which migrations ran has the two columns.
 */
const SERVER = `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
  quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
  has_database_privilege(current_database(), 'CREATE') AS may_create_schemas,
  has_schema_privilege(to_regnamespace('public'), 'CREATE') AS may_create_in_public,
  (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
    WHERE extname = 'pg_trgm' AND NOT has_schema_privilege(n.oid, 'USAGE')) AS closed_schema,
  CASE WHEN columns = 0 THEN EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') END AS has_trigrams,
  EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu' AND collnamespace = 'pg_catalog'::regnamespace) AS has_icu,
  columns = 0 AS is_new, columns > 0 AND own_columns <> 2 AS has_foreign_migrations, other_owner
FROM (SELECT count(*) AS columns, count(*) FILTER (WHERE attname IN ('name', 'run_on')) AS own_columns,
    min(relowner::regrole::text) FILTER (WHERE NOT has_table_privilege(c.oid, 'SELECT')) AS other_owner
  FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
  WHERE relnamespace = to_regnamespace('public') AND relname = 'migrations') AS migrations`

/** @returns why the server cannot be used, and what to change; null if it can */
export const unsuitable = (server: Server): string | null => {
  const { version, encoding, role, database } = server
  const major = Math.floor(version / 10_000)
  if (major < OLDEST) return `the server of DATABASE_URL is Postgres ${major}: use version ${OLDEST} or later`
  if (encoding !== 'UTF8')
    return `the database of DATABASE_URL has the encoding ${encoding}: create it with ENCODING 'UTF8' TEMPLATE template0`
  if (server.has_foreign_migrations)
    return `the database of DATABASE_URL belongs to another program, which has a table public.migrations: create a database for Baoco`
  if (server.other_owner !== null)
    return `the tables in the database of DATABASE_URL belong to the role ${server.other_owner}, and ${role} may not use them: restore a backup with pg_restore --no-owner --role=${role}`
  if (server.closed_schema !== null)
    return `the role ${role} may not use the extension pg_trgm: GRANT USAGE ON SCHEMA ${server.closed_schema} TO ${role}`
  // Later, Baoco needs these rights only to create more, and a database that was accepted stays so.
  if (!server.is_new) return null
  if (!server.has_trigrams)
    return `the server of DATABASE_URL does not have the extension pg_trgm: install its contributed modules (package postgresql-contrib)`
  if (!server.has_icu)
    return `the database of DATABASE_URL does not have the collation "und-x-icu": use a Postgres that was built with ICU, as packages are`
  if (!server.may_create_schemas)
    return `the role ${role} may not create schemas in the database of DATABASE_URL: ALTER DATABASE ${database} OWNER TO ${role}`
  if (server.may_create_in_public === null)
    return `the database of DATABASE_URL has no schema public: CREATE SCHEMA public AUTHORIZATION ${role}`
  if (!server.may_create_in_public)
    return `the role ${role} may not create tables in the schema public of DATABASE_URL: GRANT CREATE ON SCHEMA public TO ${role}`
  return null
}

/** @throws {UnsuitableServer} */
export const refuseUnsuitable = async (database: Queryable): Promise<void> => {
  const [server] = await database.query<Server>(SERVER)
  const reason = unsuitable(server!)
  if (reason !== null) throw new UnsuitableServer(reason)
}

/** @throws an error that counts as an outage if the server is a standby, which refuses every change until it is promoted */
export const refuseStandby = async (database: Queryable): Promise<void> => {
  const [there] = await database.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
  if (there!.is_standby)
    throw new Error('the server of DATABASE_URL is a standby: name the primary server, or promote it')
}
