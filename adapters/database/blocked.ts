// Tests: tests/integration/roles/start.test.ts
/** Which locks the statements of Baoco wait for, and who holds them. Locks of Baoco itself, such as during a migration, end by themselves. */
import type { Queryable } from './database.ts'

/** `application_name` in the URL replaces the names that Baoco gives to its sessions. */
const isOurs = (session: string): string =>
  `(${session}.application_name LIKE 'baoco%' OR ${session}.application_name = current_setting('application_name'))`

const BLOCKED = `
SELECT DISTINCT coalesce(l.relation::regclass::text, l.locktype) AS what, b.application_name AS holder, b.pid
FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND NOT l.granted
  CROSS JOIN LATERAL unnest(pg_blocking_pids(a.pid)) AS blocking (pid) JOIN pg_stat_activity b ON b.pid = blocking.pid
WHERE a.datname = current_database() AND ${isOurs('a')} AND NOT ${isOurs('b')}
ORDER BY what, b.pid LIMIT 3`

/** @returns one sentence; null if no statement waits for a lock */
export const blockedBy = async (database: Queryable): Promise<string | null> => {
  const found = await database.query<{ what: string; holder: string; pid: number }>(BLOCKED)
  if (found.length === 0) return null
  const holders = found.map(
    ({ what, holder, pid }) => `${what}, which ${holder || 'a session'} holds (process ${pid} of the server)`,
  )
  return `waits for a lock: ${holders.join('; ')}`
}
