// Tests: tests/integration/roles/start.test.ts
/** Reports failures of background work that is tried again, such as deliveries. */
import { isNotYet } from '../../adapters/database/or-unavailable.ts'
import type { Disk } from '../../adapters/system/disk.ts'
import type { LogLines } from '../../domain/ports.ts'

/** Milliseconds. Every query fails until the tables are there, which takes hours with many events. */
const AWAITED_LINE_EVERY = 600_000

export const reportFailures = (log: Pick<LogLines, 'warn'>, disk: Pick<Disk, 'databaseFailed'>) => {
  let reportedAt = -Infinity
  return (error: unknown): void => {
    if (disk.databaseFailed(error)) return
    if (!isNotYet(error)) return log.warn({ err: error }, 'trouble')
    if (performance.now() - reportedAt < AWAITED_LINE_EVERY) return
    reportedAt = performance.now()
    log.warn({ reason: error.message }, 'read_models.awaited')
  }
}
