// Tests: tests/integration/server-disks.test.ts
/**
 * The disk of a Postgres server. An ordinary user cannot ask for its free space. So the operator states its size, and the databases and
 * the log are subtracted. A role without `pg_monitor` may not see the size of the log.
 */
import type { DiskSpace } from '../../../domain/disk.ts'
import type { Queryable } from '../../database/database.ts'

const GIGABYTE = 1024 ** 3

/** Databases whose size the role may see: by default all. */
const DATABASES = `SELECT coalesce(sum(pg_database_size(oid)), 0)::bigint AS bytes,
    has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS sees_log
  FROM pg_database WHERE has_database_privilege(oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE')`
const LOG = 'SELECT coalesce(sum(size), 0)::bigint AS bytes FROM pg_ls_waldir()'

/** @param gigabytes  the size of the disk in units of 2^30 bytes */
export const databaseDisk = (database: Queryable, gigabytes: number) => async (): Promise<DiskSpace> => {
  const [{ bytes, sees_log }] = (await database.query<{ bytes: number; sees_log: boolean }>(DATABASES)) as [
    { bytes: number; sees_log: boolean },
  ]
  const [log] = sees_log ? await database.query<{ bytes: number }>(LOG) : []
  const size = gigabytes * GIGABYTE
  return { size, free: Math.max(0, size - bytes - (log?.bytes ?? 0)) }
}
