// Tests: tests/integration/delivery/gate.test.ts
/**
 * Claims of gated rules, in one statement for all of them. A rule is gated if its calls are ordered or limited, if its
 * endpoint's breaker is open, or if the endpoint asked to wait. The other statements of the queue skip gated rules.
 *
 * - An ordered rule has one candidate: its oldest open delivery. It has none while one of its calls is in flight: an older
 *   delivery may be opened again meanwhile.
 * - While the endpoint is held, these pass: a manual retry; a delivery whose whole schedule has passed (its last attempt),
 *   if its rule has been active for as long; and, every `PROBE_EVERY`, the delivery that has waited longest.
 * - A limited rule gets as many calls as its pace allows. Calls are spread evenly over 61 seconds. At least one and at most a
 *   second's worth are made at once, so that no minute has more calls than the limit.
 *
 * Pace and probe are taken from rows that this statement locks. A row that another worker has locked is skipped, so no worker
 * waits here. Held deliveries are not read: every lookup uses an index to find only the rows that may pass, however many
 * wait.
 */
import {
  CLAIM_DUE,
  dueBy,
  FREE_AT,
  FROM_LOG_WITHIN,
  GATED,
  IS_ASKED_TO_WAIT,
  isOver,
  isTooFarAhead,
  MAY_END,
  MAY_PROBE,
  shareLeft,
  unclaimed,
  whatTheCallNeeds,
} from './claim-sql.ts'
import { delivered, DELIVERED_SINCE } from './gaps.ts'
import { putOffOf } from './put-off.ts'

/** A delivery that was captured by a clock that was ahead must not wait until the other clocks reach that time. */
const CAPTURED_OR_NOW = 'greatest(now(), d.captured_at)'

/** Rows of one rule `g` in each lane that has room, those that have waited longest first. */
const ofEachLane = (until: string, limit: string, only: string): string => `
  SELECT x.* FROM unnest($2::text[]) AS lane (name) CROSS JOIN LATERAL (
    SELECT q.* FROM read_model.delivery q
    WHERE ${only} AND q.rule_id = g.rule_id AND q.status = 'open' AND q.lane = lane.name AND q.due_at <= ${until}
      AND ${unclaimed('q')}
    ORDER BY q.due_at LIMIT ${limit}
  ) x`

/**
 * The oldest and the newest open deliveries of an ordered rule, among which the one in flight is looked for. It was the oldest when it was
 * claimed. A bulk retry may open very many older ones meanwhile, but rarely do very many newer ones wait then, too.
 */
const MOST_AT_AN_END = 100

const openAtAnEnd = (order: 'ASC' | 'DESC'): string => `(
    SELECT q.transaction_id, q.rule_id, q.attempt FROM read_model.delivery q
    WHERE q.rule_id = r.rule_id AND q.status = 'open'
    ORDER BY q.captured_at ${order}, q.transaction_id ${order} LIMIT ${MOST_AT_AN_END})`

/** A call of the ordered rule `r` is claimed and not recorded. */
const IS_IN_FLIGHT = `EXISTS (
  SELECT FROM (${openAtAnEnd('ASC')} UNION ALL ${openAtAnEnd('DESC')}) q WHERE NOT ${unclaimed('q')})`

/**
 * A delivery whose schedule has passed is due, or was first due, before this time. Other rows that match are filtered out
 * afterwards.
 */
const OVER = `${DELIVERED_SINCE} + interval '${FROM_LOG_WITHIN} seconds'`

/** Seconds between two calls of a limited rule, and the number of calls that may be made at once. */
const SPACING = '(61.0 / w.max_per_minute)'
const AT_ONCE = 'greatest(1, floor(w.max_per_minute / 61.0))'
const ALLOWED = `least(w.count,
  floor(${AT_ONCE} + 0.001 - greatest(0, extract(epoch FROM ${FREE_AT} - now())) / ${SPACING}))`

/**
 * `$1` worker, `$2` lanes, `$3` their room, `$4` most rows per rule and lane, `$5` rules whose endpoints have no room, `$6` rules
 * with due deliveries (`due-lanes.ts`), `$7` to `$9` retries that a wrong clock put off (`put-off.ts`), `$10` and `$11` what is
 * left of the users' shares, `$12` and `$13` the limited rules with calls that wait, and their lanes.
 * @param times  seconds: of the whole schedule, that a retry waits at most, and between two probes
 */
export const claimGated = ({
  whole,
  longest,
  probeEvery,
}: Record<'whole' | 'longest' | 'probeEvery', number>): string => `
WITH ${delivered(whole)}, gated AS MATERIALIZED (
  SELECT DISTINCT r.rule_id, r.user_id, r.endpoint, r.ordered = 1 AS ordered, r.max_per_minute,
    r.ordered = 1 AND ${IS_IN_FLIGHT} AS in_flight, ${MAY_END} AS may_end,
    e.opened_at IS NULL AND NOT coalesce(${IS_ASKED_TO_WAIT}, false) AS free,
    coalesce(e.opened_at IS NOT NULL AND ${MAY_PROBE} AND NOT coalesce(${IS_ASKED_TO_WAIT}, false), false) AS probing
  FROM unnest($6::bigint[]) AS found (rule_id)
    JOIN read_model.rule r ON r.rule_id = found.rule_id
    JOIN read_model.account a ON a.user_id = r.user_id
    LEFT JOIN ops.endpoint e ON e.user_id = r.user_id AND e.endpoint = r.endpoint
  WHERE r.is_active = 1 AND NOT a.locked AND r.rule_id <> ALL ($5::bigint[]) AND ${GATED}
), passing AS (
  SELECT g.*, d.transaction_id, d.attempt + 1 AS attempt, d.lane, d.due_at,
    NOT (g.free OR d.lane = 'manual' OR (g.may_end AND ${isOver('d')})) AS probes
  FROM gated g CROSS JOIN LATERAL (
    (SELECT q.* FROM read_model.delivery q WHERE g.ordered AND NOT g.in_flight AND q.rule_id = g.rule_id AND q.status = 'open'
      ORDER BY q.captured_at, q.transaction_id LIMIT 1)
    UNION
    (${ofEachLane(`CASE WHEN g.free OR lane.name = 'manual' THEN ${dueBy('lane.name')} WHEN g.may_end THEN ${OVER} END`, '$4', 'NOT g.ordered')})
    UNION
    (SELECT x.* FROM unnest($2::text[]) AS lane (name) CROSS JOIN LATERAL (
      SELECT q.* FROM read_model.delivery q
      WHERE g.free AND NOT g.ordered AND q.rule_id = g.rule_id
        AND ${isTooFarAhead('q', longest, 'lane.name')} AND ${unclaimed('q')}
      ORDER BY q.due_at LIMIT $4) x)
    UNION
    (SELECT q.* FROM ${putOffOf(7, 'g.rule_id')} q
      WHERE g.free AND NOT g.ordered AND 'retry' = ANY ($2::text[]) AND ${unclaimed('q')}
      ORDER BY q.due_at LIMIT $4)
    UNION
    (SELECT q.* FROM read_model.delivery q
      WHERE g.may_end AND NOT g.ordered AND q.rule_id = g.rule_id AND q.status = 'open' AND q.lane = 'retry'
        AND q.first_due_at <= ${OVER} AND ${isOver('q')} AND q.due_at <= now() AND ${unclaimed('q')}
      ORDER BY q.first_due_at LIMIT $4)
    UNION
    (${ofEachLane(dueBy('lane.name'), '1', 'g.probing AND NOT g.ordered')})
  ) d
  WHERE (d.due_at <= ${dueBy('d.lane', CAPTURED_OR_NOW)} OR (${isTooFarAhead('d', longest)})
    OR EXISTS (SELECT FROM ${putOffOf(7, 'g.rule_id')} q WHERE q.transaction_id = d.transaction_id)) AND ${unclaimed('d')}
), placed AS (
  SELECT p.*, row_number() OVER (PARTITION BY p.rule_id, p.lane ORDER BY p.due_at) AS place,
    row_number() OVER (PARTITION BY p.user_id, p.endpoint, p.probes ORDER BY p.due_at, p.transaction_id) AS probe_place
  FROM (SELECT passing.*, ${shareLeft('passing.user_id', 'passing.lane', 10)} AS rest FROM passing) p
  WHERE (p.probing OR NOT p.probes) AND p.rest > 0 AND NOT EXISTS (
    SELECT FROM unnest($12::bigint[], $13::text[]) AS waiting (rule_id, lane)
    WHERE waiting.rule_id = p.rule_id AND waiting.lane = p.lane)
), turns AS (
  SELECT p.*, row_number() OVER (PARTITION BY p.lane, p.user_id ORDER BY p.place, p.due_at) AS turn_of_user
  FROM placed p WHERE NOT p.probes OR p.probe_place = 1
), in_lane AS (
  SELECT p.*, row_number() OVER (PARTITION BY p.lane ORDER BY p.turn_of_user, p.due_at) AS place_in_lane FROM turns p
  WHERE p.turn_of_user <= p.rest
), roomed AS (
  SELECT p.*, row_number() OVER (PARTITION BY p.rule_id ORDER BY p.due_at, p.transaction_id) AS turn
  FROM in_lane p JOIN unnest($2::text[], $3::integer[]) AS lane (name, room) ON lane.name = p.lane
  WHERE p.place_in_lane <= lane.room
), wanted AS (
  SELECT rule_id, max_per_minute, count(*) AS count FROM roomed WHERE max_per_minute IS NOT NULL
  GROUP BY rule_id, max_per_minute
), new_pace AS (
  INSERT INTO ops.pace (rule_id)
    SELECT rule_id FROM wanted w WHERE NOT EXISTS (SELECT FROM ops.pace p WHERE p.rule_id = w.rule_id) ORDER BY rule_id
  ON CONFLICT DO NOTHING
), own_pace AS MATERIALIZED (
  SELECT p.rule_id FROM ops.pace p JOIN wanted w ON w.rule_id = p.rule_id FOR UPDATE OF p SKIP LOCKED
), granted AS (
  UPDATE ops.pace p SET granted = ${ALLOWED},
    free_at = greatest(${FREE_AT}, now()) + make_interval(secs => (${SPACING} * ${ALLOWED})::float8)
  FROM wanted w JOIN own_pace USING (rule_id)
  WHERE p.rule_id = w.rule_id AND ${ALLOWED} >= 1
  RETURNING p.rule_id, p.granted
), in_pace AS (
  SELECT r.* FROM roomed r LEFT JOIN granted g ON g.rule_id = r.rule_id
  WHERE r.max_per_minute IS NULL OR r.turn <= g.granted
), own_probe AS MATERIALIZED (
  SELECT e.user_id, e.endpoint FROM ops.endpoint e
  WHERE ${MAY_PROBE} AND (e.user_id, e.endpoint) IN (SELECT p.user_id, p.endpoint FROM in_pace p WHERE p.probes)
  FOR UPDATE SKIP LOCKED
), probed AS (
  UPDATE ops.endpoint e SET probe_at = now() + make_interval(secs => ${probeEvery}) FROM own_probe o
  WHERE e.user_id = o.user_id AND e.endpoint = o.endpoint AND ${MAY_PROBE}
  RETURNING e.user_id, e.endpoint
), due AS (
  SELECT p.transaction_id, p.rule_id, p.attempt FROM in_pace p
  WHERE NOT p.probes OR (p.user_id, p.endpoint) IN (SELECT user_id, endpoint FROM probed)
), ${CLAIM_DUE} ${whatTheCallNeeds()}`
