// Tests: tests/integration/delivery/metrics.test.ts
/** The status of the installation, for its operator. */
import type { Queryable } from '../../../projections/engine/queryable.ts'
import { deliveryNumbers } from '../delivery-queue/numbers.ts'
import { openBreakers } from '../../../projections/rule/breaker-queries.ts'

export interface InstallationStatus {
  projectors: { projector: string; passed: string | null; last_event_at: string | null }[]
  lanes: { lane: string; open: number; due: number }[]
  breakers: { user_id: number; endpoint: string; since: string }[]
  /** The same number as in the metrics. */
  overdue: number
}

export const installationStatus = async (database: Queryable): Promise<InstallationStatus> => {
  const [projectors, lanes, breakers, { overdue }] = await Promise.all([
    database.query<InstallationStatus['projectors'][number]>(
      `SELECT projector, passed, updated_at AS last_event_at
       FROM (TABLE read_model.checkpoint UNION ALL TABLE search_model.checkpoint) AS every ORDER BY projector`,
    ),
    database.query<InstallationStatus['lanes'][number]>(
      `SELECT lane, count(*) AS open, count(*) FILTER (WHERE due_at <= now()) AS due
       FROM read_model.delivery WHERE status = 'open' GROUP BY lane ORDER BY lane`,
    ),
    openBreakers(database),
    deliveryNumbers(database),
  ])
  return {
    projectors,
    lanes,
    breakers: breakers.map(({ user_id, endpoint, since }) => ({ user_id, endpoint, since })),
    overdue,
  }
}
