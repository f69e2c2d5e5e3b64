// Tests: tests/integration/rate-limits/counters.test.ts
import type { ScheduledJob } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'

/** Deletes expired windows from the table. */
export const sweepRateLimits = (database: Queryable): ScheduledJob => ({
  name: 'sweep_rate_limits',
  at: '*/10 * * * *',
  run: async () => {
    const swept = await database.query('DELETE FROM ops.rate_limit WHERE expire < $1 RETURNING 1', [Date.now()])
    return swept.length > 0 ? { swept: swept.length } : null
  },
})
