// Tests: tests/integration/http/endpoint-alerts.test.ts
/** Endpoints that are paused because they keep failing: the open breakers in `ops.endpoint`. */
import { originOf } from '../../domain/webhook/endpoint.ts'
import type { LastingAlert } from '../../workflows/scheduled/watch.ts'
import type { OpenBreaker } from '../../workflows/scheduled/watch-endpoints.ts'
import type { Queryable } from '../engine/queryable.ts'

const MOST = 1_000

/** Leaves out endpoints that no rule uses. Their rows may still wait for the sweep. */
const OPEN = `
SELECT e.user_id, e.endpoint, e.opened_at AS since, e.failures, last.http_status, last.error
FROM ops.endpoint e LEFT JOIN LATERAL (
  SELECT a.http_status, a.error FROM read_model.rule r CROSS JOIN LATERAL (
    SELECT * FROM read_model.attempt a WHERE a.rule_id = r.rule_id ORDER BY a.created_at DESC, a.id DESC LIMIT 1
  ) a
  WHERE r.user_id = e.user_id AND r.endpoint = e.endpoint ORDER BY a.created_at DESC LIMIT 1
) last ON true
WHERE e.opened_at IS NOT NULL
  AND EXISTS (SELECT FROM read_model.rule r WHERE r.user_id = e.user_id AND r.endpoint = e.endpoint)
ORDER BY e.opened_at LIMIT ${MOST}`

/** The open breakers of all users. Those that have been open for longest come first. */
export const openBreakers = async (database: Queryable): Promise<OpenBreaker[]> =>
  (await database.query<OpenBreaker>(OPEN)).map((row) => ({ ...row, endpoint: originOf(row.endpoint) }))

const LASTING = `
SELECT a.user_id, a.subject, now() AS looked_at,
  (SELECT count(*) FROM read_model.alert earlier
    WHERE earlier.user_id = a.user_id AND earlier.since > now() - interval '1 day' AND earlier.kind = a.kind
      AND earlier.subject = a.subject) AS alerts,
  ARRAY(SELECT DISTINCT r.endpoint FROM read_model.rule r WHERE r.user_id = a.user_id) AS endpoints
FROM read_model.alert a WHERE a.kind = 'endpoint_failing' AND a.until IS NULL AND a.subject NOT LIKE 'rule:%'`

/** Alerts about failing endpoints that last, and the time of this query. */
export const lastingEndpointAlerts = async (database: Queryable): Promise<LastingAlert[]> =>
  (await database.query<Omit<LastingAlert, 'is_used'> & { endpoints: string[] }>(LASTING)).map(
    ({ endpoints, ...alert }) => ({ ...alert, is_used: endpoints.some((each) => originOf(each) === alert.subject) }),
  )
