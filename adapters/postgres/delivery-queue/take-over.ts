// Tests: tests/integration/delivery/takeover.test.ts
/** Takes over what dead workers have claimed and not recorded. */
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import type { Queryable } from '../../database/database.ts'
import { GATED, hasAccount, NOT_HELD, whatTheCallNeeds } from './claim-sql.ts'
import { dueOf, type ClaimRow } from './claimed-rows.ts'
import type { DueLanes } from './due-lanes.ts'
import { delivered } from './gaps.ts'

/** Claims of dead workers on gated rules return to the queue. The gate lets them through when a call is allowed. */
const FREE_GATED = `
DELETE FROM ops.claim c USING read_model.delivery d, read_model.rule r
WHERE c.worker = ANY ($1::uuid[]) AND d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
  AND d.status = 'open' AND c.attempt > d.attempt AND r.rule_id = c.rule_id AND ${GATED}`

const takeOver = (whole: number): string => `
WITH ${delivered(whole)}, due AS (
  SELECT c.transaction_id, c.rule_id
  FROM ops.claim c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
    LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
  WHERE c.worker = ANY ($2::uuid[]) AND d.status = 'open' AND c.attempt > d.attempt AND ${NOT_HELD} AND ${hasAccount('d')}
    AND (c.worker = $1 OR NOT ${GATED})
  ORDER BY c.transaction_id, c.rule_id
  LIMIT $3
  FOR UPDATE OF c SKIP LOCKED
), claimed AS (
  UPDATE ops.claim c SET worker = $1, claimed_at = now() FROM due
  WHERE c.transaction_id = due.transaction_id AND c.rule_id = due.rule_id
  RETURNING c.transaction_id, c.rule_id, c.attempt
) ${whatTheCallNeeds()}`

/** @param whole  seconds of the whole schedule */
export const openTakeOver = (database: Queryable, dueLanes: DueLanes, whole: number): DeliveryQueue['takeOver'] => {
  const statement = takeOver(whole)
  /** Dead workers whose lanes have been looked for. */
  let known: readonly string[] = []
  return async (worker, dead, limit) => {
    const others = dead.filter((each) => each !== worker)
    // The claims do not contain transactions that a dead worker had only noted.
    if (others.some((each) => !known.includes(each))) dueLanes.beginAgain()
    known = others
    if (others.length > 0) await database.query(FREE_GATED, [others])
    return dueOf(await database.query<ClaimRow>(statement, [worker, dead, limit]))
  }
}
