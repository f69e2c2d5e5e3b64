// Tests: tests/integration/delivery/new-deliveries.test.ts
/**
 * Claims first attempts of new deliveries, which the read models may not have yet. Only rules, accounts and counts of the
 * read models are read, not the transactions and deliveries, so nothing waits for their rows. The claim is the same row as
 * any other: when the delivery appears in the read models, it is already claimed.
 */
import { vietnamMonth } from '../../../domain/time.ts'
import type { NewClaim, NewClaims, NewDelivery } from '../../../workflows/deliver/queue.ts'
import { mostOf, planAt } from '../../../projections/quota/projection.ts'
import { CLAIM_DUE, GATED, NOT_HELD, RULE_COLUMNS } from './claim-sql.ts'
import { ruleOf, type RuleRow } from './claimed-rows.ts'
import type { Queryable } from '../../database/database.ts'
import { columnsOf } from '../../database/columns.ts'

/** The plan and the count may be those of an earlier position: what they do not count yet is in `uncounted`. */
const IS_WITHIN_QUOTA = `coalesce(coalesce(q.transactions, 0) + w.uncounted
  <= ${mostOf(planAt('p', 'w.captured_at'))}, true)`

/**
 * Values: worker; transaction, rule, user, time of capture, month and uncounted transactions of each delivery; rules that are full.
 * It returns a row for each delivery that it claimed, and for each that it leaves to the read models.
 */
const CLAIM_NEW = `
WITH wanted AS MATERIALIZED (
  SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[], $7::integer[])
    AS w (transaction_id, rule_id, user_id, captured_at, month, uncounted)
), due AS MATERIALIZED (
  SELECT w.transaction_id, w.rule_id, 1 AS attempt
  FROM wanted w
    JOIN read_model.rule r ON r.rule_id = w.rule_id AND r.user_id = w.user_id
    JOIN read_model.account a ON a.user_id = w.user_id
    LEFT JOIN read_model.quota_plan p ON p.user_id = w.user_id
    LEFT JOIN read_model.quota q ON q.user_id = w.user_id AND q.month = w.month
  WHERE ${NOT_HELD} AND NOT ${GATED} AND r.rule_id <> ALL ($8::bigint[]) AND ${IS_WITHIN_QUOTA}
), ${CLAIM_DUE}
SELECT w.transaction_id, w.rule_id, c.attempt IS NOT NULL AS is_claimed,
  (SELECT passed FROM read_model.checkpoint WHERE projector = 'main') AS passed,
  ${RULE_COLUMNS}, e.user_id IS NOT NULL AS watched
FROM wanted w
  LEFT JOIN due d ON d.transaction_id = w.transaction_id AND d.rule_id = w.rule_id
  LEFT JOIN claimed c ON c.transaction_id = w.transaction_id AND c.rule_id = w.rule_id
  LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
  LEFT JOIN ops.endpoint e ON e.user_id = r.user_id AND e.endpoint = r.endpoint
WHERE c.attempt IS NOT NULL OR d.attempt IS NULL`

type NewRow = RuleRow & { transaction_id: number; rule_id: number; is_claimed: boolean; passed: string | null }

/** @param byKey  in sessions with the settings `BY_KEY` */
export const claimNew = async (
  byKey: Queryable,
  worker: string,
  deliveries: readonly NewDelivery[],
  fullRules: readonly number[],
): Promise<NewClaims> => {
  const rows = await byKey.query<NewRow>(
    CLAIM_NEW,
    [
      worker,
      ...columnsOf(deliveries, 'transaction_id', 'rule_id', 'user_id', 'captured_at'),
      deliveries.map(({ captured_at }) => vietnamMonth(new Date(captured_at))),
      ...columnsOf(deliveries, 'uncounted'),
      fullRules,
    ],
    'claim_new',
  )
  return {
    claimed: rows.filter(({ is_claimed }) => is_claimed).map(claimOf),
    left: [...new Set(rows.filter(({ is_claimed }) => !is_claimed).map((row) => row.transaction_id))],
    passed: rows[0]?.passed ?? null,
  }
}

/** A rule whose endpoint is passed through is gated, so it is never claimed here. */
const claimOf = (row: NewRow): NewClaim => ({
  transaction_id: row.transaction_id,
  rule_id: row.rule_id,
  rule: ruleOf(row),
  endpoint: { name: row.endpoint, watched: row.watched, isPassedThrough: false },
})
