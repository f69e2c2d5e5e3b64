// Tests: tests/integration/status-command.test.ts
/** Versions and sizes of the database, for the operator. */
import type { Queryable } from '../../database/database.ts'

export interface ServerStatus {
  postgres: string
  /** The newest migration. */
  tables: string
  /** Bytes. */
  database_bytes: number
  schemas: { name: string; bytes: number }[]
}

export const serverStatus = async (database: Queryable): Promise<ServerStatus> => {
  const [row] = await database.query<Omit<ServerStatus, 'schemas'>>(
    `SELECT current_setting('server_version') AS postgres, (SELECT name FROM public.migrations ORDER BY id DESC LIMIT 1) AS tables,
       pg_database_size(current_database()) AS database_bytes`,
  )
  const schemas = await database.query<ServerStatus['schemas'][number]>(
    `SELECT nspname AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname IN ('store', 'read_model', 'search_model', 'ops') GROUP BY nspname ORDER BY nspname`,
  )
  return { ...row!, schemas }
}
