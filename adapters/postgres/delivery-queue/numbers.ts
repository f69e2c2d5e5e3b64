// Tests: tests/integration/delivery/metrics.test.ts
/**
 * The state of the queue, for metrics. Costs one lookup per lane of each rule that has open deliveries, not one per delivery.
 */
import { ENDPOINT_IS_GATED, NOT_HELD, OPEN_LANES } from './claim-sql.ts'
import type { Queryable } from '../../database/database.ts'

export interface DeliveryNumbers {
  /**
   * Seconds that the oldest due delivery of each lane has waited. Held deliveries and those of gated rules are not counted.
   */
  oldest: { lane: string; seconds: number }[]
  /** Of these, the number that are due for over 30 s. At most 1,000 are counted per rule and lane. */
  overdue: number
  /** Endpoints that get no calls, by reason. */
  open: number
  asked_to_wait: number
}

const QUEUE = `
WITH ${OPEN_LANES}
SELECT hop.lane, extract(epoch FROM now() - min(oldest.due_at))::float8 AS seconds, sum(late.count)::integer AS overdue
FROM hop
  LEFT JOIN read_model.rule r ON r.rule_id = hop.rule_id
  LEFT JOIN read_model.account a ON a.user_id = r.user_id
  CROSS JOIN LATERAL (
    SELECT q.due_at FROM read_model.delivery q
    WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.due_at <= now()
    ORDER BY q.due_at LIMIT 1
  ) oldest
  CROSS JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM read_model.delivery q
      WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.due_at < now() - interval '30 seconds'
      LIMIT 1000
    ) counted
  ) late
WHERE ${NOT_HELD} AND coalesce(r.ordered, 0) = 0 AND r.max_per_minute IS NULL AND NOT EXISTS (
  SELECT FROM ops.endpoint e WHERE e.user_id = r.user_id AND e.endpoint = r.endpoint AND ${ENDPOINT_IS_GATED})
GROUP BY hop.lane`

export const deliveryNumbers = async (database: Queryable): Promise<DeliveryNumbers> => {
  const lanes = await database.query<{ lane: string; seconds: number; overdue: number }>(QUEUE)
  const [held] = await database.query<{ open: number; asked_to_wait: number }>(
    `SELECT count(*) FILTER (WHERE opened_at IS NOT NULL) AS open,
       count(*) FILTER (WHERE opened_at IS NULL AND not_before > now()) AS asked_to_wait FROM ops.endpoint`,
  )
  return {
    oldest: lanes.map(({ lane, seconds }) => ({ lane, seconds })),
    overdue: lanes.reduce((sum, { overdue }) => sum + overdue, 0),
    ...held!,
  }
}
