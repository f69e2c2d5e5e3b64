// Tests: tests/integration/http/endpoint-alerts.test.ts
/** Rules whose endpoint answers, but has refused every call for a while. No breaker opens for them (`breaker-queries.ts`). */
import { DELIVERIES_TO_OPEN, FAILURES_TO_OPEN } from '../../domain/webhook/endpoint.ts'
import type { LastingRefusal, RefusedRule } from '../../workflows/scheduled/watch-refusals.ts'
import type { Queryable } from '../engine/queryable.ts'

const MOST = 1_000

/**
 * Reads one attempt of a rule, and more only if that one was refused: the planner would read all ten of each rule. Calls of an earlier URL, or
 * before a pause, do not count. Rules whose alert lasts are left out: those of shops that closed would fill the list for ever.
 */
const REFUSED = `
WITH refused AS MATERIALIZED (
  SELECT r.user_id, r.rule_id, r.name, r.active_since, newest.http_status, newest.created_at AS since
  FROM read_model.rule r CROSS JOIN LATERAL (
    SELECT a.http_status, a.created_at FROM read_model.attempt a WHERE a.rule_id = r.rule_id ORDER BY a.created_at DESC, a.id DESC LIMIT 1
  ) newest
  WHERE r.is_active = 1 AND newest.http_status BETWEEN 300 AND 499
    AND NOT EXISTS (SELECT FROM read_model.alert a
      WHERE a.kind = 'endpoint_failing' AND a.user_id = r.user_id AND a.until IS NULL AND a.subject = 'rule:' || r.rule_id)
)
SELECT r.user_id, r.rule_id, r.name, r.http_status, r.since
FROM refused r CROSS JOIN LATERAL (
  SELECT count(*) AS calls, count(DISTINCT a.transaction_id) AS deliveries, min(a.created_at) AS oldest,
    bool_or(a.http_status BETWEEN 200 AND 299) AS is_accepted
  FROM (
    SELECT * FROM read_model.attempt a WHERE a.rule_id = r.rule_id ORDER BY a.created_at DESC, a.id DESC LIMIT ${FAILURES_TO_OPEN}
  ) a
) last
WHERE NOT last.is_accepted AND last.calls = ${FAILURES_TO_OPEN} AND last.deliveries >= ${DELIVERIES_TO_OPEN}
  AND last.oldest > r.active_since
ORDER BY r.since LIMIT ${MOST}`

export const refusedRules = (database: Queryable): Promise<RefusedRule[]> => database.query<RefusedRule>(REFUSED)

const LASTING = `
SELECT a.user_id, a.subject, now() AS looked_at,
  (SELECT count(*) FROM read_model.alert earlier
    WHERE earlier.user_id = a.user_id AND earlier.since > now() - interval '1 day' AND earlier.kind = a.kind
      AND earlier.subject = a.subject) AS alerts,
  r.rule_id IS NOT NULL AS is_used,
  coalesce((SELECT bool_and(last.http_status NOT BETWEEN 200 AND 299) FROM (
    SELECT * FROM read_model.attempt a WHERE a.rule_id = r.rule_id ORDER BY a.created_at DESC, a.id DESC LIMIT ${FAILURES_TO_OPEN}
  ) last), false) AS is_refused
FROM read_model.alert a LEFT JOIN read_model.rule r
  ON 'rule:' || r.rule_id = a.subject AND r.user_id = a.user_id AND r.is_active = 1 AND r.active_since < a.since
WHERE a.kind = 'endpoint_failing' AND a.until IS NULL AND a.subject LIKE 'rule:%'`

/** Alerts about refused rules that last, and the time of this query. A rule with a new URL is no longer the one of its alert. */
export const lastingRefusals = (database: Queryable): Promise<LastingRefusal[]> =>
  database.query<LastingRefusal>(LASTING)
