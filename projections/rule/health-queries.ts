// Tests: tests/integration/delivery/breaker.test.ts
/** The health of the endpoints of a user's rules. */
import type { Queryable } from '../engine/queryable.ts'

export interface EndpointHealth {
  /** `open`: only a probe is sent from time to time. */
  breaker: 'closed' | 'open'
  failures_in_a_row: number
  open_since: string | null
  next_probe_at: string | null
  /** The endpoint asked for no calls until this time. */
  not_before: string | null
}

export const HEALTHY: EndpointHealth = {
  breaker: 'closed',
  failures_in_a_row: 0,
  open_since: null,
  next_probe_at: null,
  not_before: null,
}

/** By rule. Rules with a healthy endpoint are not in it. */
export const endpointHealth = async (
  database: Queryable,
  userId: number,
): Promise<ReadonlyMap<number, EndpointHealth>> => {
  const rows = await database.query<EndpointHealth & { rule_id: number }>(
    `SELECT r.rule_id, CASE WHEN e.opened_at IS NULL THEN 'closed' ELSE 'open' END AS breaker,
       e.failures AS failures_in_a_row, e.opened_at AS open_since,
       CASE WHEN e.opened_at IS NOT NULL THEN e.probe_at END AS next_probe_at,
       CASE WHEN e.not_before > now() THEN e.not_before END AS not_before
     FROM ops.endpoint e JOIN read_model.rule r ON r.user_id = e.user_id AND r.endpoint = e.endpoint
     WHERE e.user_id = $1`,
    [userId],
    'endpoint-health',
  )
  return new Map(rows.map(({ rule_id, ...health }) => [rule_id, health]))
}
