// Tests: tests/integration/delivery/breaker.test.ts
/** The state of endpoints, in `ops.endpoint`. Delivery workers write it, and it is shown with the rules. */
import { DELIVERIES_TO_OPEN, FAILURES_TO_OPEN, PROBE_EVERY } from '../../../domain/webhook/endpoint.ts'
import type { EndpointUpdate, EndpointState } from '../../../workflows/deliver/endpoint-updates.ts'
import { ENDPOINT_IS_GATED, IS_ASKED_TO_WAIT, isAskedToWait } from './claim-sql.ts'
import type { Queryable } from '../../database/database.ts'

/** Only an endpoint that fails or asks to wait gets a row. */
const MAKE = `
INSERT INTO ops.endpoint (user_id, endpoint) SELECT * FROM unnest($1::bigint[], $2::text[]) AS v (user_id, endpoint)
ORDER BY user_id, endpoint ON CONFLICT DO NOTHING`

const updateSql = (probeEvery: number): string => `
WITH v AS (
  SELECT user_id, endpoint, answered, failures, failing::text[] AS failing, wait, by_hand
  FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::integer[], $5::text[], $6::float8[], $7::boolean[])
    AS v (user_id, endpoint, answered, failures, failing, wait, by_hand)
), before AS MATERIALIZED (
  SELECT e.* FROM ops.endpoint e JOIN v ON v.user_id = e.user_id AND v.endpoint = e.endpoint
  WHERE v.failures > 0 OR v.wait IS NOT NULL OR v.by_hand OR e.failures > 0 OR e.opened_at IS NOT NULL
  ORDER BY e.user_id, e.endpoint FOR UPDATE OF e
), counted AS (
  SELECT v.user_id, v.endpoint, v.failures + CASE WHEN v.answered THEN 0 ELSE b.failures END AS failures,
    ARRAY(SELECT DISTINCT each FROM unnest(v.failing || CASE WHEN v.answered THEN '{}' ELSE b.failing END) AS each
      LIMIT ${DELIVERIES_TO_OPEN}) AS failing,
    CASE WHEN NOT v.answered THEN b.opened_at END AS opened_at, b.probe_at,
    CASE WHEN v.answered AND b.opened_at IS NOT NULL THEN now() ELSE b.closed_at END AS closed_at,
    CASE WHEN v.wait IS NULL THEN CASE WHEN v.by_hand AND b.not_before > now() THEN now() ELSE b.not_before END
      ELSE greatest(CASE WHEN ${isAskedToWait('b')} THEN b.not_before END, now() + make_interval(secs => v.wait)) END AS not_before
  FROM v JOIN before b ON b.user_id = v.user_id AND b.endpoint = v.endpoint
), judged AS (
  SELECT *, opened_at IS NULL AND failures >= ${FAILURES_TO_OPEN} AND cardinality(failing) >= ${DELIVERIES_TO_OPEN} AS opens
  FROM counted
)
UPDATE ops.endpoint e SET failures = j.failures, failing = j.failing, not_before = j.not_before, closed_at = j.closed_at,
  opened_at = CASE WHEN j.opens THEN now() ELSE j.opened_at END,
  probe_at = CASE WHEN j.opens THEN now() + make_interval(secs => ${probeEvery}) ELSE j.probe_at END
FROM judged j WHERE e.user_id = j.user_id AND e.endpoint = j.endpoint
RETURNING e.user_id, e.endpoint, j.opens AS opened, e.opened_at IS NOT NULL OR coalesce(${IS_ASKED_TO_WAIT}, false) AS held`

/** Deletes endpoints that work again, or that no rule calls. */
const SWEEP = `
DELETE FROM ops.endpoint e
WHERE (e.failures = 0 AND NOT coalesce(${ENDPOINT_IS_GATED}, false))
  OR NOT EXISTS (SELECT FROM read_model.rule r WHERE r.user_id = e.user_id AND r.endpoint = e.endpoint)`

const SWEEP_PACE = 'DELETE FROM ops.pace p WHERE NOT EXISTS (SELECT FROM read_model.rule r WHERE r.rule_id = p.rule_id)'

/** A text array in Postgres syntax. The names in it contain only digits and slashes. */
const arrayOf = (names: readonly string[]): string => `{${names.join()}}`

export const updateEndpoints = async (
  database: Queryable,
  updates: readonly EndpointUpdate[],
  probeEvery = PROBE_EVERY,
): Promise<EndpointState[]> => {
  const bad = updates.filter(({ failures, wait }) => failures > 0 || wait !== null)
  const keys = (of: readonly EndpointUpdate[]) => [of.map((each) => each.user_id), of.map((each) => each.endpoint)]
  if (bad.length > 0) await database.query(MAKE, keys(bad))
  return database.query<EndpointState>(updateSql(probeEvery), [
    ...keys(updates),
    updates.map((each) => each.answered),
    updates.map((each) => each.failures),
    updates.map((each) => arrayOf(each.failing)),
    updates.map((each) => each.wait),
    updates.map((each) => each.byHand),
  ])
}

export const sweepEndpoints = async (database: Queryable): Promise<void> => {
  await database.query(SWEEP)
  await database.query(SWEEP_PACE)
}
