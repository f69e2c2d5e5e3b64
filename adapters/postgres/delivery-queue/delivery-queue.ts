// Tests: tests/integration/delivery/queue.test.ts
/**
 * The delivery queue in SQL: set-based claims over the read models.
 *
 * A claim is one row per delivery whose attempt number only rises. `ON CONFLICT … WHERE claim.attempt < excluded.attempt`
 * gives each attempt to exactly one worker, whatever was read before. A claim that is not recorded yet has a higher number
 * than the delivery in the read models. Rows are always locked in key order, so that workers that claim the same rows wait
 * for each other but never deadlock.
 *
 * The statement for first attempts is prepared: for a few transactions at a time, planning costs more than execution. The
 * other statements are planned at every use: plans that were made while the tables were empty would read whole tables.
 */
import { PROBE_EVERY } from '../../../domain/webhook/endpoint.ts'
import { RETRY_SCHEDULE, wholeSchedule } from '../../../domain/webhook/retry-schedule.ts'
import {
  LANES,
  type Claim,
  type DeliveryQueue,
  type DueWanted,
  type OpenClaims,
  type OtherWorker,
  type PresentRule,
} from '../../../workflows/deliver/queue.ts'
import {
  CLAIM_DUE,
  FROM_LOG_WITHIN,
  GATED,
  hasAccount,
  LEFT_ALONE,
  longestDelay,
  NOT_HELD,
  unclaimed,
  whatTheCallNeeds,
} from './claim-sql.ts'
import { claimedOf, dueOf, type ClaimRow } from './claimed-rows.ts'
import type { Queryable } from '../../database/database.ts'
import { claimDue } from './due-claims.ts'
import { DueLanes, type RuleLane } from './due-lanes.ts'
import { sweepEndpoints, updateEndpoints } from './endpoints.ts'
import { delivered, RECORD_GAP, sweepGaps } from './gaps.ts'
import { claimGated } from './gated-claims.ts'
import { claimNew } from './new-claims.ts'
import { PutOff } from './put-off.ts'
import { sharesOf, without } from './shares.ts'
import { columnsOf } from '../../database/columns.ts'

/** Seconds after which a recorded claim is deleted. */
const KEPT = 600

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
) ${whatTheCallNeeds('claimed_or_gated')}`

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

const STILL_MINE = `
SELECT (wanted.n - 1)::integer AS place
FROM unnest($2::bigint[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS wanted (transaction_id, rule_id, attempt, n)
  JOIN ops.claim c ON c.transaction_id = wanted.transaction_id AND c.rule_id = wanted.rule_id
WHERE c.worker = $1 AND c.attempt = wanted.attempt`

const PRESENT_RULES = `
SELECT r.rule_id, r.account_revision
FROM unnest($1::bigint[]) AS wanted (rule_id)
  JOIN read_model.rule r ON r.rule_id = wanted.rule_id
  JOIN read_model.account a ON a.user_id = r.user_id
WHERE ${NOT_HELD}`

/** Releases attempts that did not start. Any worker may claim them again. */
const GIVE_BACK = `
DELETE FROM ops.claim c
USING unnest($2::bigint[], $3::bigint[], $4::integer[]) AS given (transaction_id, rule_id, attempt)
WHERE c.worker = $1 AND c.transaction_id = given.transaction_id AND c.rule_id = given.rule_id AND c.attempt = given.attempt`

const COUNT_OPEN = `
SELECT c.worker, count(*) AS claims_open FROM ops.claim c
  JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
WHERE c.worker = ANY ($1::uuid[]) AND d.status = 'open' AND c.attempt > d.attempt
GROUP BY c.worker ORDER BY c.worker`

const BEAT = `
WITH ${RECORD_GAP}
INSERT INTO ops.worker AS w (worker, beat) VALUES ($1, 1)
ON CONFLICT (worker) DO UPDATE SET beat = w.beat + 1, beaten_at = now()
RETURNING now() AS now, beat = 1 AS is_new`

const OTHERS = 'SELECT worker, beat, ended_at IS NOT NULL AS ended FROM ops.worker WHERE worker <> $1'

const SWEEP_CLAIMS = `
DELETE FROM ops.claim c
WHERE c.claimed_at < now() - make_interval(secs => ${KEPT}) AND NOT EXISTS (
  SELECT FROM read_model.delivery d
  WHERE d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id AND d.status = 'open' AND d.attempt < c.attempt)`

const SWEEP_WORKERS = `
DELETE FROM ops.worker w
WHERE w.worker = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM ops.claim c WHERE c.worker = w.worker)`

export interface DeliveryQueueOptions {
  /** Seconds before each retry. */
  schedule?: readonly number[]
  /** Seconds. Only tests change it. */
  probeEvery?: number
}

/** @param byKey  the same database, in sessions with the settings `BY_KEY` */
export const openDeliveryQueue = (
  database: Queryable,
  byKey: Queryable,
  { schedule = RETRY_SCHEDULE, probeEvery = PROBE_EVERY }: DeliveryQueueOptions = {},
): DeliveryQueue => {
  const whole = wholeSchedule(schedule)
  const longest = longestDelay(schedule)
  const statements = {
    first: first(whole),
    due: claimDue(whole, longest),
    gated: claimGated({ whole, longest, probeEvery }),
    takeOver: takeOver(whole),
  }
  const dueLanes = new DueLanes(database, longest)
  const putOff = new PutOff(database)
  /** Dead workers whose lanes have been looked for. */
  let known: readonly string[] = []
  /** At every other look, gated rules are first, so that the others cannot take all room for long. */
  let isGatedFirst = true

  const claimBy = async (
    statement: string,
    worker: string,
    { room, perRule, fullRules }: DueWanted,
    more: unknown[],
  ) => {
    const free = LANES.filter((lane) => room[lane] > 0)
    const values = [worker, free, free.map((lane) => room[lane]), perRule, fullRules, ...more]
    return database.query<ClaimRow>(statement, values)
  }
  const columns = (claims: readonly Claim[]) => columnsOf(claims, 'transaction_id', 'rule_id', 'attempt')

  return {
    claimNew: (worker, deliveries, fullRules) => claimNew(byKey, worker, deliveries, fullRules),

    claimFirst: async (worker, transactions, fullRules, limit) => {
      const wanted = [worker, transactions, fullRules, limit]
      const rows = await byKey.query<ClaimRow>(statements.first, wanted, `claim_first_${whole}`)
      const claimed = rows.filter(({ attempt }) => attempt > 0)
      const gated = rows.filter(({ attempt }) => attempt <= 0)
      dueLanes.note(gated)
      return { claimed: claimed.map(claimedOf), isGated: gated.some(({ attempt }) => attempt === MAY_PASS) }
    },

    claimDue: async (worker, wanted) => {
      const { lanes: found, hasMore } = await dueLanes.look()
      const late = putOff.due()
      const isFound = ({ rule_id }: RuleLane) => found.some((each) => each.rule_id === rule_id && each.lane === 'retry')
      const lanes = [...found, ...late.lanes.filter((each) => !isFound(each))]
      if (lanes.length === 0) return { claimed: [], orphans: [], hasMore }
      const [rules, names] = columnsOf(lanes, 'rule_id', 'lane')
      const due = (part: DueWanted) =>
        claimBy(statements.due, worker, part, [rules, names, part.firstEarlier, ...late.columns, ...sharesOf(part)])
      const gated = (part: DueWanted) =>
        claimBy(statements.gated, worker, part, [rules, ...late.columns, ...sharesOf(part)])
      isGatedFirst = !isGatedFirst
      const [begin, goOn] = isGatedFirst ? [gated, due] : [due, gated]
      const begun = await begin(wanted)
      return { ...dueOf([...begun, ...(await goOn(without(begun, wanted)))]), hasMore }
    },

    takeOver: async (worker, dead, limit) => {
      const others = dead.filter((each) => each !== worker)
      // The claims do not contain transactions that a dead worker had only noted.
      if (others.some((each) => !known.includes(each))) dueLanes.beginAgain()
      known = others
      if (others.length > 0) await database.query(FREE_GATED, [others])
      return dueOf(await database.query<ClaimRow>(statements.takeOver, [worker, dead, limit]))
    },

    presentRules: (rules) => byKey.query<PresentRule>(PRESENT_RULES, [rules], 'present_rules'),

    giveBack: async (worker, claims) => {
      await database.query(GIVE_BACK, [worker, ...columns(claims)])
    },

    updateEndpoints: (updates) => updateEndpoints(database, updates, probeEvery),

    stillMine: async (worker, claims) =>
      (await database.query<{ place: number }>(STILL_MINE, [worker, ...columns(claims)])).map(({ place }) => place),

    countOpen: (workers) => database.query<OpenClaims>(COUNT_OPEN, [workers]),

    beat: async (worker) => {
      const [row] = await database.query<{ now: string; is_new: boolean }>(BEAT, [worker])
      const others = await database.query<OtherWorker>(OTHERS, [worker])
      const now = new Date(row!.now)
      await putOff.beaten(now)
      return { now, others, isNew: row!.is_new }
    },

    signOff: async (worker) => {
      await database.query('UPDATE ops.worker SET ended_at = now() WHERE worker = $1', [worker])
    },

    sweep: async (dead) => {
      await database.query(SWEEP_CLAIMS)
      await putOff.look()
      await sweepEndpoints(database)
      await sweepGaps(database, whole)
      if (dead.length > 0) await database.query(SWEEP_WORKERS, [dead])
    },
  }
}
