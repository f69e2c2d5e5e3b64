// Tests: tests/integration/delivery/queue.test.ts
/** SQL fragments shared by the statements of the delivery queue. */
import { LONGEST_WAIT, PROBE_EVERY } from '../../../domain/webhook/endpoint.ts'
import { DELIVERED_SINCE } from './gaps.ts'

/**
 * Seconds. A first attempt is claimed from the log, before it is due in the queue, if it is due within this time. A delivery
 * over the quota is due later, so it waits.
 */
export const FROM_LOG_WITHIN = 65

/** Seconds. By less than this, a manual retry or a claim may be ahead of the database's clock. */
export const CLOCKS_DIFFER = 2

/**
 * The rule is not paused and its account is not locked. A row whose rule was deleted counts as not held, because it is ended.
 */
export const NOT_HELD = '(r.rule_id IS NULL OR (r.is_active = 1 AND NOT a.locked))'

/**
 * The account of a delivery exists. One whose rule `r` was deleted is ended, but not one of a deleted account: it is removed with its
 * transaction. The form of the lookup keeps Postgres from reading all accounts.
 */
export const hasAccount = (delivery: string): string => `(r.rule_id IS NOT NULL
  OR (SELECT o.user_id FROM read_model.account o WHERE o.user_id = ${delivery}.user_id) IS NOT NULL)`

/**
 * Times in the tables come from the database's clock, which may have been ahead and was corrected since. A time that lies
 * further ahead than it ever can is void. The bound is generous, because the clocks of two servers differ a little.
 * @param most  SQL for the longest time that it can lie ahead
 */
const isVoid = (time: string, most: string): string => `(${time} > now() + 2 * ${most})`

/** The endpoint may be probed again. */
export const MAY_PROBE = `(e.probe_at <= now() OR ${isVoid('e.probe_at', `interval '${PROBE_EVERY} seconds'`)})`

/** The endpoint asked for no calls until a time in the future. */
export const isAskedToWait = (endpoint: string): string =>
  `(${endpoint}.not_before > now() AND NOT ${isVoid(`${endpoint}.not_before`, `interval '${LONGEST_WAIT} seconds'`)})`

export const IS_ASKED_TO_WAIT = isAskedToWait('e')

const ENDPOINT_IS_HELD = `(e.opened_at IS NOT NULL OR ${IS_ASKED_TO_WAIT})`

/** The time from which a limited rule may be called: at most the pause between two calls of the slowest rule ahead. */
export const FREE_AT = `CASE WHEN ${isVoid('p.free_at', `interval '61 seconds'`)} THEN now() ELSE p.free_at END`

/** Held, or released so recently that first attempts that were not claimed from the log are not yet due in the queue. */
export const ENDPOINT_IS_GATED = `(e.opened_at IS NOT NULL
  OR greatest(e.not_before, e.closed_at) > now() - make_interval(secs => ${FROM_LOG_WITHIN}))`

/**
 * A rule whose calls are let through one by one: it is ordered or limited, or its endpoint gets no calls now or did so
 * recently.
 */
export const GATED = `(r.rule_id IS NOT NULL AND (r.ordered = 1 OR r.max_per_minute IS NOT NULL OR EXISTS (
  SELECT FROM ops.endpoint e WHERE e.user_id = r.user_id AND e.endpoint = r.endpoint AND ${ENDPOINT_IS_GATED})))`

/** Its endpoint gets no calls until a time in the future, so checking earlier is useless. */
export const LEFT_ALONE = `EXISTS (SELECT FROM ops.endpoint e WHERE e.user_id = r.user_id AND e.endpoint = r.endpoint
  AND (${IS_ASKED_TO_WAIT} OR (e.opened_at IS NOT NULL AND NOT ${MAY_PROBE})))`

/** The start of a delivery's schedule. A first attempt can be made at capture, although it is due in the queue only later. */
const began = (delivery: string): string =>
  `CASE WHEN ${delivery}.first_due_at <= ${delivery}.captured_at + make_interval(secs => ${FROM_LOG_WITHIN})
    THEN ${delivery}.captured_at ELSE ${delivery}.first_due_at END`

/** Whether a delivery's whole schedule has passed. Times in which no worker ran do not count. It needs the step `delivered`. */
export const isOver = (delivery: string): string => `${began(delivery)} <= ${DELIVERED_SINCE}`

/**
 * The endpoint `e` of the rule `r` is down, and the rule has been active for a whole schedule. Only then do its deliveries make
 * their last attempts: while a rule was held, its endpoint was not tried, and the same holds while no worker ran. It needs the step `delivered`.
 */
export const MAY_END = `(e.opened_at IS NOT NULL AND r.active_since <= ${DELIVERED_SINCE})`

/** @param delivery  name of the row */
export const unclaimed = (delivery: string): string => `NOT EXISTS (SELECT FROM ops.claim c
  WHERE c.transaction_id = ${delivery}.transaction_id AND c.rule_id = ${delivery}.rule_id AND c.attempt > ${delivery}.attempt)`

/**
 * Open deliveries whose due time lies further ahead than it ever can: it was set by a clock that was ahead. They would become
 * due only when the other clocks reach that time. The search covers only such times, so few rows are read. A first call over
 * the quota may be due at any later time, unless it was captured in the future.
 * @param longest  seconds that a retry waits at most
 */
export const isTooFarAhead = (delivery: string, longest: number, lane = `${delivery}.lane`): string =>
  `${delivery}.status = 'open' AND ${delivery}.lane = ${lane} AND ${delivery}.due_at > now() + CASE ${lane}
    WHEN 'first' THEN interval '${FROM_LOG_WITHIN} seconds' WHEN 'retry' THEN interval '${2 * longest} seconds'
    ELSE interval '${CLOCKS_DIFFER} seconds' END
    AND (${lane} <> 'retry' OR ${delivery}.attempt > 0 OR ${delivery}.captured_at > now() + interval '${CLOCKS_DIFFER} seconds')`

/** @returns seconds that a retry waits at most */
export const longestDelay = (schedule: readonly number[]): number => Math.max(LONGEST_WAIT, ...schedule)

/**
 * The time by which deliveries of a lane may be claimed. First attempts of gated rules are never made from the log, so they
 * do not wait for it.
 * @param from  the start of the time reserved for the log
 */
export const dueBy = (lane: string, from = 'now()'): string =>
  `CASE WHEN ${lane} = 'first' THEN ${from} + interval '${FROM_LOG_WITHIN} seconds' ELSE now() END`

/**
 * How many more deliveries of a user may be claimed in a lane, until the user's share of its room is used up. It is looked up for each row,
 * so the cost of a lookup must not grow with the number of users, whatever plan Postgres chooses.
 * @param first  number of the first of two parameters: what is left of the shares, by lane and user; and the share of all others, by lane
 */
export const shareLeft = (user: string, lane: string, first: number): string =>
  `coalesce(($${first}::jsonb ->> (${lane} || ' ' || ${user}))::integer, ($${first + 1}::jsonb ->> ${lane})::integer)`

/** Claims the rows of `due` for the worker `$1`. */
export const CLAIM_DUE = `claimed AS (
  INSERT INTO ops.claim AS c (transaction_id, rule_id, attempt, worker)
    SELECT transaction_id, rule_id, attempt, $1 FROM due ORDER BY transaction_id, rule_id
  ON CONFLICT (transaction_id, rule_id) DO UPDATE
    SET attempt = excluded.attempt, worker = excluded.worker, claimed_at = now()
    WHERE c.attempt < excluded.attempt
  RETURNING c.transaction_id, c.rule_id, c.attempt
)`

/** The columns of its rule `r` that a call needs. */
export const RULE_COLUMNS = `r.url, r.http_method, r.payload_format, r.custom_template, r.sealed_secret,
    r.sealed_previous, r.previous_until, r.account_revision, r.max_per_minute, r.ordered, r.endpoint`

/**
 * All deliveries of the transaction of a claim `c`: the state of one whose stream is not read. They may be very many, and each claim of the
 * transaction reads all of them.
 */
export const ALL_DELIVERIES = `(SELECT json_agg(json_build_array(s.rule_id, s.status, s.attempt, s.round_base, s.due_at))
      FROM read_model.delivery s WHERE s.transaction_id = c.transaction_id)`

/** The data that a call needs, joined to the rows of a relation. It needs the step `delivered` (`gaps.ts`). */
export const whatTheCallNeeds = (of = 'claimed', deliveries = 'NULL'): string => `
  SELECT c.transaction_id, c.rule_id, c.attempt, d.user_id, d.lane, d.due_at, d.captured_at,
    r.rule_id IS NULL AS orphan, ${RULE_COLUMNS},
    e.user_id IS NOT NULL AS watched, coalesce(${ENDPOINT_IS_HELD}, false) AS passed_through,
    ${MAY_END} AND ${isOver('d')} AS is_last,
    d.attempt > 0 AND EXISTS (SELECT FROM read_model.attempt p WHERE p.transaction_id = c.transaction_id
      AND p.rule_id = c.rule_id AND p.outcome = 'delivered') AS is_replay,
    t.bank_code, t.bank_name, t.transaction_type, t.amount, t.currency, t.balance_after, t.account_number,
    t.transaction_ref, t.transaction_date, t.description, t.content, t.counterpart_name, t.order_id, t.prefix,
    t.already_run_of, t.webhook_status, t.created_at,
    ${deliveries} AS deliveries
  FROM ${of} c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
    JOIN read_model.transaction t ON t.id = c.transaction_id
    LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
    LEFT JOIN ops.endpoint e ON e.user_id = r.user_id AND e.endpoint = r.endpoint
  ORDER BY d.due_at, c.transaction_id, c.rule_id`

/**
 * Lanes of rules that have open deliveries. The query jumps from one to the next in the index, so each costs one index lookup
 * and not a scan of its rows.
 */
export const OPEN_LANES = `RECURSIVE hop AS (
  (SELECT rule_id, lane FROM read_model.delivery WHERE status = 'open' ORDER BY rule_id, lane LIMIT 1)
  UNION ALL
  SELECT next.rule_id, next.lane FROM hop CROSS JOIN LATERAL (
    SELECT d.rule_id, d.lane FROM read_model.delivery d
    WHERE d.status = 'open' AND (d.rule_id, d.lane) > (hop.rule_id, hop.lane)
    ORDER BY d.rule_id, d.lane LIMIT 1
  ) next
)`
