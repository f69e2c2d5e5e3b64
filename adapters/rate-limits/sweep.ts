// Tests: tests/integration/rate-limits/counters.test.ts
import { type ScheduledJob, removing } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'
import { sweepWindows } from './shared-windows.ts'

/** Deletes expired windows from the table. */
export const sweepRateLimits = (database: Queryable): ScheduledJob =>
  removing('sweep_rate_limits', '*/10 * * * *', () => sweepWindows(database))
