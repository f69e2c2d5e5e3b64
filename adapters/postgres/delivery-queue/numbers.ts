// Tests: tests/integration/delivery/metrics.test.ts
/**
 * The state of the queue, for metrics. It reads the due deliveries in an index, which are few. If they are very many, because
 * rules are held, it makes one lookup per lane of each rule that has open deliveries.
 */
import { ENDPOINT_IS_GATED, hasAccount, IS_ASKED_TO_WAIT, NOT_HELD, OPEN_LANES } from './claim-sql.ts'
import type { Queryable } from '../../database/database.ts'
import { LANES } from '../../../workflows/deliver/queue.ts'

export interface DeliveryNumbers {
  /**
   * Seconds that the oldest due delivery of each lane has waited. Held deliveries and those of gated rules are not counted.
   */
  oldest: { lane: string; seconds: number }[]
  /** How many of these are due for more than 30 s. At most 1,000 are counted per rule and lane. */
  overdue: number
  /** Endpoints that get no calls, by reason. */
  open: number
  asked_to_wait: number
}

interface LaneNumbers {
  lane: string | null
  seconds: number
  overdue: number
}

/** Due deliveries of a lane that are read one by one. */
const FEW = 200_000

const IS_COUNTED = `${NOT_HELD} AND coalesce(r.ordered, 0) = 0 AND r.max_per_minute IS NULL AND NOT EXISTS (
  SELECT FROM ops.endpoint e WHERE e.user_id = r.user_id AND e.endpoint = r.endpoint AND ${ENDPOINT_IS_GATED})`

const SECONDS = 'extract(epoch FROM now() - min(due_at))::float8'
const IS_LATE = `due_at < now() - interval '30 seconds'`

/** The row without a lane has the number of deliveries that were read. */
const OF_FEW = `
WITH due AS MATERIALIZED (
  SELECT q.* FROM unnest($1::text[]) AS lane (name) CROSS JOIN LATERAL (
    SELECT d.lane, d.rule_id, d.user_id, d.due_at FROM read_model.delivery d
    WHERE d.status = 'open' AND d.lane = lane.name AND d.due_at <= now() ORDER BY d.due_at LIMIT ${FEW}
  ) q
), by_rule AS (
  SELECT lane, rule_id, min(user_id) AS user_id, min(due_at) AS due_at, least(1000, count(*) FILTER (WHERE ${IS_LATE})) AS overdue FROM due
  GROUP BY lane, rule_id
)
SELECT lane, ${SECONDS} AS seconds, sum(overdue)::integer AS overdue
FROM by_rule b LEFT JOIN read_model.rule r ON r.rule_id = b.rule_id LEFT JOIN read_model.account a ON a.user_id = r.user_id
WHERE ${IS_COUNTED} AND ${hasAccount('b')} GROUP BY lane
UNION ALL SELECT NULL, NULL, coalesce(max(count), 0)::integer FROM (SELECT count(*) FROM due GROUP BY lane) AS read`

const OF_MANY = `
WITH ${OPEN_LANES}
SELECT hop.lane, ${SECONDS} AS seconds, sum(late.count)::integer AS overdue
FROM hop
  LEFT JOIN read_model.rule r ON r.rule_id = hop.rule_id
  LEFT JOIN read_model.account a ON a.user_id = r.user_id
  CROSS JOIN LATERAL (
    SELECT q.user_id, q.due_at FROM read_model.delivery q
    WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.due_at <= now()
    ORDER BY q.due_at LIMIT 1
  ) oldest
  CROSS JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM read_model.delivery q
      WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.${IS_LATE}
      LIMIT 1000
    ) counted
  ) late
WHERE ${IS_COUNTED} AND ${hasAccount('oldest')} GROUP BY hop.lane`

const laneNumbers = async (database: Queryable): Promise<LaneNumbers[]> => {
  const found = await database.query<LaneNumbers>(OF_FEW, [LANES])
  const read = found.find(({ lane }) => lane === null)!.overdue
  return read < FEW ? found.filter(({ lane }) => lane !== null) : database.query<LaneNumbers>(OF_MANY)
}

export const deliveryNumbers = async (database: Queryable): Promise<DeliveryNumbers> => {
  const lanes = await laneNumbers(database)
  const [held] = await database.query<{ open: number; asked_to_wait: number }>(
    `SELECT count(*) FILTER (WHERE opened_at IS NOT NULL) AS open,
       count(*) FILTER (WHERE opened_at IS NULL AND ${IS_ASKED_TO_WAIT}) AS asked_to_wait FROM ops.endpoint e`,
  )
  return {
    oldest: lanes.map(({ lane, seconds }) => ({ lane: lane!, seconds })),
    overdue: lanes.reduce((sum, { overdue }) => sum + overdue, 0),
    ...held!,
  }
}
