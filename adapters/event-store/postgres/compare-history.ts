// Tests: tests/contract/event-store/postgres.test.ts
/** Compares the store with what this process knows of it, on a new connection before that is used. */
import type { Queryable } from '../../database/database.ts'
import type { History } from '../history.ts'
import { unparsed } from '../parse.ts'
import { readSlices } from './reading.ts'

/** A promotion begins a new timeline, and a copy of another server has another identifier. Not every server lets its users read both. */
const IDENTITY = `SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS server
  FROM pg_control_system()`

/** One event is compared, of any size. */
const ONE_EVENT = { mostBytes: Number.MAX_SAFE_INTEGER, mostEvents: 1 }

/**
 * @throws {StoreWentBack} · an error if the server is a standby, which may be behind. It counts as an outage until the standby is
 *   promoted.
 */
export const compareHistory = async (connection: Queryable, history: History): Promise<void> => {
  history.check()
  const reached = history.reached()
  const [there] = await connection.query<{ is_standby: boolean; newest: number }>(
    'SELECT pg_is_in_recovery() AS is_standby, store.newest() AS newest',
  )
  if (there!.is_standby) throw new Error('the server of the event store is a standby')
  const [identity] = await connection.query<{ server: string }>(IDENTITY).catch(() => [])
  await history.compare(async (slices) => (await readSlices(connection, slices, unparsed, ONE_EVENT)).events, {
    reached,
    end: String(there!.newest),
    server: identity?.server ?? null,
  })
}
