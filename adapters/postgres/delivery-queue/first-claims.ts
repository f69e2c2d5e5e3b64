// Tests: tests/integration/delivery/queue.test.ts
/** Claims first attempts of given transactions, which the read models have. */
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import type { Queryable } from '../../database/database.ts'
import {
  ALL_DELIVERIES,
  CLAIM_DUE,
  FROM_LOG_WITHIN,
  GATED,
  LEFT_ALONE,
  NOT_HELD,
  unclaimed,
  whatTheCallNeeds,
} from './claim-sql.ts'
import { claimedOf, type ClaimRow } from './claimed-rows.ts'
import type { DueLanes } from './due-lanes.ts'
import { delivered } from './gaps.ts'

/** In place of the number of an attempt: the rule is gated, and its endpoint may be called now or not. */
const MAY_PASS = 0
const LEFT_ALONE_NOW = -1

/**
 * Claims nothing of gated rules. Instead, one row for each of them reports whether it may be let through now. Deliveries are looked up
 * by their transactions (`OFFSET 0` keeps the planner from reversing that), because the cost of scanning all open deliveries
 * grows with their number. Claimed ones are left out before the insert, which would lock them: a takeover skips what is locked.
 */
const first = (whole: number): string => `
WITH ${delivered(whole)}, found AS MATERIALIZED (
  SELECT d.transaction_id, d.rule_id, d.attempt + 1 AS attempt, ${GATED} AS gated, ${LEFT_ALONE} AS left_alone
  FROM unnest($2::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM read_model.delivery WHERE transaction_id = wanted.id OFFSET 0) d
    JOIN read_model.rule r ON r.rule_id = d.rule_id
    JOIN read_model.account a ON a.user_id = d.user_id
  WHERE d.status = 'open' AND d.lane = 'first'
    AND d.due_at <= greatest(now(), d.captured_at) + make_interval(secs => ${FROM_LOG_WITHIN})
    AND ${NOT_HELD} AND d.rule_id <> ALL ($3::bigint[]) AND ${unclaimed('d')}
  ORDER BY d.transaction_id, d.rule_id
  LIMIT $4
), due AS (SELECT * FROM found WHERE NOT gated
), ${CLAIM_DUE}, claimed_or_gated AS (
  SELECT * FROM claimed UNION ALL (
    SELECT DISTINCT ON (rule_id) transaction_id, rule_id, CASE WHEN left_alone THEN ${LEFT_ALONE_NOW} ELSE ${MAY_PASS} END
    FROM found WHERE gated)
) ${whatTheCallNeeds('claimed_or_gated', ALL_DELIVERIES)}`

/**
 * @param byKey  in sessions with the settings `BY_KEY` · @param dueLanes  notes the gated rules that it finds
 * @param whole  seconds of the whole schedule
 */
export const openFirstClaims = (byKey: Queryable, dueLanes: DueLanes, whole: number): DeliveryQueue['claimFirst'] => {
  const statement = first(whole)
  return async (worker, transactions, fullRules, limit) => {
    const wanted = [worker, transactions, fullRules, limit]
    const rows = await byKey.query<ClaimRow>(statement, wanted, `claim_first_${whole}`)
    const claimed = rows.filter(({ attempt }) => attempt > 0)
    const gated = rows.filter(({ attempt }) => attempt <= 0)
    dueLanes.note(gated)
    return { claimed: claimed.map(claimedOf), isGated: gated.some(({ attempt }) => attempt === MAY_PASS) }
  }
}
