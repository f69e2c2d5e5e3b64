// Tests: tests/integration/scheduled/watch-sources.test.ts
/**
 * Deletes rows of notifications that did not become a transaction, some time after the store has hidden their events. Until
 * then, no query shows them.
 */
import type { ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../../database/database.ts'

const EVERY_HOUR = '20 * * * *'
/** Rows per statement, so that no other statement waits long. */
const MOST = 10_000

export const sweepNotifications = (database: Queryable): ScheduledJob => ({
  name: 'sweep_notifications',
  at: EVERY_HOUR,
  run: async (signal) => {
    let removed = 0
    for (let last = MOST; last === MOST && !signal.aborted; removed += last) {
      const rows = await database.query(
        `DELETE FROM read_model.notification WHERE id IN
           (SELECT id FROM read_model.notification WHERE expires_at < now() LIMIT ${MOST}) RETURNING id`,
      )
      last = rows.length
    }
    return removed > 0 ? { removed } : null
  },
})
