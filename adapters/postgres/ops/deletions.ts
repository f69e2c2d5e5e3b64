// Tests: tests/attack/account-deletion-cost.test.ts
/**
 * Deletions of accounts that have begun and not ended: the table `ops.deletion`. A process that deletes holds a lock on a connection of its
 * own, so that a running deletion can be distinguished from an interrupted one.
 */
import type { BegunDeletion, DeletionNotes } from '../../../workflows/accounts/unfinished-deletions.ts'
import type { Database, Queryable } from '../../database/database.ts'

/** The keys of the lock, as the server shows them. */
const KEYS = (userId: string) => `hashtext('baoco deletion'), hashtext((${userId})::text)`
const isLocked = `EXISTS (SELECT FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid::bigint = hashtext('baoco deletion')::bigint & 4294967295
    AND l.objid::bigint = hashtext(d.user_id::text)::bigint & 4294967295)`

export const openDeletions = (database: Queryable): DeletionNotes => ({
  all: () =>
    database.query<BegunDeletion>(
      `SELECT user_id, begun_at, ${isLocked} AS is_running FROM ops.deletion d ORDER BY begun_at`,
    ),
  end: async (userId) => void (await database.query('DELETE FROM ops.deletion WHERE user_id = $1', [userId])),
})

/** Notes that the deletion of the account has begun, and after the work that it has ended. If the work fails, the note stays. */
export const whileDeleting = async <Result>(
  database: Database,
  userId: number,
  work: () => Promise<Result>,
): Promise<Result> => {
  const running = await database.connect()
  try {
    await running.query(`SELECT pg_advisory_lock_shared(${KEYS('$1::bigint')})`, [userId])
    await database.query('INSERT INTO ops.deletion (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [userId])
    const result = await work()
    await openDeletions(database).end(userId)
    return result
  } finally {
    await running.end().catch(() => {})
  }
}
