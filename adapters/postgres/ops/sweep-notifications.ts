// Tests: tests/integration/scheduled/watch-sources.test.ts
/**
 * Deletes rows of notifications that did not become a transaction, and of their streams, some time after the store has hidden
 * their events. Until then, no query shows them.
 */
import { type ScheduledJob, removing } from '../../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../../database/database.ts'

const EVERY_HOUR = '20 * * * *'
/** Rows per statement, so that no other statement waits long. */
const MOST = 10_000
/** Tables with the column `expires_at`, and their keys. */
const EXPIRING = [
  ['notification', 'id'],
  ['owned_stream', 'stream'],
] as const

export const sweepNotifications = (database: Queryable): ScheduledJob => {
  const remove = async (signal: AbortSignal): Promise<number> => {
    let removed = 0
    for (const [table, key] of EXPIRING)
      for (let last = MOST; last === MOST && !signal.aborted; removed += last) {
        const rows = await database.query(
          `DELETE FROM read_model.${table} WHERE ${key} IN
             (SELECT ${key} FROM read_model.${table} WHERE expires_at < now() LIMIT ${MOST}) RETURNING 1`,
        )
        last = rows.length
      }
    return removed
  }
  return removing('sweep_notifications', EVERY_HOUR, remove, 'removed')
}
