// Tests: tests/integration/delivery/metrics.test.ts
/** The status of the installation, for its operator. */
import type { Queryable } from '../../../projections/engine/queryable.ts'
import { deliveryNumbers } from '../delivery-queue/numbers.ts'
import { openBreakers } from '../../../projections/rule/breaker-queries.ts'

export interface InstallationStatus {
  projectors: { projector: string; passed: string | null; last_event_at: string | null }[]
  lanes: { lane: string; open: number; due: number }[]
  breakers: { user_id: number; endpoint: string; since: string }[]
  /** Streams with an event that cannot be applied. */
  parked: number
  /** The same number as in the metrics. */
  overdue: number
}

/** @param unseen  the number of overdue deliveries that the queue does not have yet */
export const installationStatus = async (
  database: Queryable,
  unseen: () => Promise<number>,
): Promise<InstallationStatus> => {
  const [projectors, lanes, breakers, parked, { overdue }, waiting] = await Promise.all([
    database.query<InstallationStatus['projectors'][number]>(
      `SELECT projector, passed, updated_at AS last_event_at
       FROM (TABLE read_model.checkpoint UNION ALL TABLE search_model.checkpoint) AS every ORDER BY projector`,
    ),
    database.query<InstallationStatus['lanes'][number]>(
      `SELECT lane, count(*) AS open, count(*) FILTER (WHERE due_at <= now()) AS due
       FROM read_model.delivery WHERE status = 'open' GROUP BY lane ORDER BY lane`,
    ),
    openBreakers(database),
    database.query<{ streams: number }>(
      `SELECT count(*) AS streams
         FROM (SELECT stream FROM read_model.parked UNION SELECT stream FROM search_model.parked) AS every`,
    ),
    deliveryNumbers(database),
    unseen(),
  ])
  return {
    projectors,
    lanes,
    breakers: breakers.map(({ user_id, endpoint, since }) => ({ user_id, endpoint, since })),
    parked: parked[0]!.streams,
    overdue: overdue + waiting,
  }
}
