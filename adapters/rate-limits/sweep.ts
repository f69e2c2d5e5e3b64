// Tests: tests/integration/rate-limits/counters.test.ts
import type { ScheduledJob } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'
import { sweepWindows } from './shared-windows.ts'

/** Deletes expired windows from the table. */
export const sweepRateLimits = (database: Queryable): ScheduledJob => ({
  name: 'sweep_rate_limits',
  at: '*/10 * * * *',
  run: async () => {
    const swept = await sweepWindows(database)
    return swept > 0 ? { swept } : null
  },
})
