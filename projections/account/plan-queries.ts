// Tests: tests/integration/scheduled/plans.test.ts
/** Accounts that need action because of their plan. */
import { nearlyUsedFrom } from '../../domain/account/plan-changes.ts'
import type { PlansDue } from '../../workflows/scheduled/plans.ts'
import type { Queryable } from '../engine/queryable.ts'

const NEARLY_USED = `
SELECT q.user_id, q.transactions
FROM read_model.quota q
  JOIN read_model.account a ON a.user_id = q.user_id
  JOIN unnest($2::text[], $3::integer[]) AS warned (plan, transactions)
    ON warned.plan = CASE WHEN a.plan_expires_at <= $4 THEN 'Free' ELSE a.plan END
WHERE q.month = $1 AND q.transactions >= warned.transactions AND a.quota_warned IS DISTINCT FROM $1`

const ENDED = "SELECT user_id FROM read_model.account WHERE plan <> 'Free' AND plan_expires_at <= $1 ORDER BY user_id"

export const plansDue = (database: Queryable): PlansDue => ({
  nearlyUsed: (month, at) =>
    database.query(NEARLY_USED, [
      month,
      nearlyUsedFrom.map(({ plan }) => plan),
      nearlyUsedFrom.map(({ transactions }) => transactions),
      at.toISOString(),
    ]),
  ended: async (at) =>
    (await database.query<{ user_id: number }>(ENDED, [at.toISOString()])).map(({ user_id }) => user_id),
})
