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
import type {
  Claim,
  Claimed,
  DeliveryQueue,
  Due,
  DueWanted,
  LaneName,
  OtherWorker,
} from '../../../workflows/deliver/queue.ts'
import {
  capturedAhead,
  CLAIM_DUE,
  FROM_LOG_WITHIN,
  GATED,
  LEFT_ALONE,
  NOT_HELD,
  OPEN_LANES,
  unclaimed,
  whatTheCallNeeds,
} from './claim-sql.ts'
import type { Queryable } from '../../database/database.ts'
import { sweepEndpoints, updateEndpoints } from './endpoints.ts'
import { claimGated } from './gated-claims.ts'

/** Seconds after which a recorded claim is deleted. */
const KEPT = 600

/**
 * Claims nothing of gated rules. Instead, one row reports that some of them may be let through now. Deliveries are looked up
 * by their transactions (`OFFSET 0` keeps the planner from reversing that), because the cost of scanning all open deliveries
 * grows with their number.
 */
const first = (whole: number): string => `
WITH found AS MATERIALIZED (
  SELECT d.transaction_id, d.rule_id, d.attempt + 1 AS attempt, ${GATED} AS gated, ${LEFT_ALONE} AS left_alone
  FROM unnest($2::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM read_model.delivery WHERE transaction_id = wanted.id OFFSET 0) d
    JOIN read_model.rule r ON r.rule_id = d.rule_id
    JOIN read_model.account a ON a.user_id = d.user_id
  WHERE d.status = 'open' AND d.lane = 'first'
    AND d.due_at <= greatest(now(), d.captured_at) + make_interval(secs => ${FROM_LOG_WITHIN})
    AND ${NOT_HELD} AND d.rule_id <> ALL ($3::bigint[])
  ORDER BY d.transaction_id, d.rule_id
  LIMIT $4
), due AS (SELECT * FROM found WHERE NOT gated
), ${CLAIM_DUE}, told AS (
  SELECT * FROM claimed UNION ALL (SELECT transaction_id, rule_id, NULL FROM found WHERE gated AND NOT left_alone LIMIT 1)
) ${whatTheCallNeeds(whole, 'told')}`

const OF_DUE = 'q.transaction_id, q.rule_id, q.attempt + 1 AS attempt, q.lane, q.due_at'

/** A few deliveries of every rule and lane, those that have waited longest first. */
const due = (whole: number): string => `
WITH ${OPEN_LANES}, ranked AS (
  SELECT d.*, row_number() OVER (PARTITION BY d.lane ORDER BY d.place, d.due_at) AS place_in_lane
  FROM hop
    LEFT JOIN read_model.rule r ON r.rule_id = hop.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
    CROSS JOIN LATERAL (
      SELECT x.*, row_number() OVER (ORDER BY x.due_at) AS place
      FROM (
        (SELECT ${OF_DUE} FROM read_model.delivery q
        WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.due_at <= now()
          AND ${unclaimed('q')}
        ORDER BY q.due_at LIMIT $4)
        UNION ALL
        (SELECT ${OF_DUE} FROM read_model.delivery q
        WHERE hop.lane = 'first' AND q.rule_id = hop.rule_id AND ${capturedAhead('q')} AND ${unclaimed('q')}
        ORDER BY q.due_at LIMIT $4)
      ) x
    ) d
  WHERE hop.lane = ANY ($2::text[]) AND hop.rule_id <> ALL ($5::bigint[]) AND ${NOT_HELD} AND NOT ${GATED}
), due AS (
  SELECT ranked.* FROM ranked JOIN unnest($2::text[], $3::integer[]) AS lane (name, room) ON lane.name = ranked.lane
  WHERE ranked.place_in_lane <= lane.room
), ${CLAIM_DUE} ${whatTheCallNeeds(whole)}`

/** Claims of dead workers on gated rules return to the queue. The gate lets them through when a call is allowed. */
const FREE_GATED = `
DELETE FROM ops.claim c USING read_model.delivery d, read_model.rule r
WHERE c.worker = ANY ($1::uuid[]) AND d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
  AND d.status = 'open' AND c.attempt > d.attempt AND r.rule_id = c.rule_id AND ${GATED}`

const takeOver = (whole: number): string => `
WITH due AS (
  SELECT c.transaction_id, c.rule_id
  FROM ops.claim c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
    LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
  WHERE c.worker = ANY ($2::uuid[]) AND d.status = 'open' AND c.attempt > d.attempt AND ${NOT_HELD}
    AND (c.worker = $1 OR NOT ${GATED})
  ORDER BY c.transaction_id, c.rule_id
  LIMIT $3
  FOR UPDATE OF c SKIP LOCKED
), claimed AS (
  UPDATE ops.claim c SET worker = $1, claimed_at = now() FROM due
  WHERE c.transaction_id = due.transaction_id AND c.rule_id = due.rule_id
  RETURNING c.transaction_id, c.rule_id, c.attempt
) ${whatTheCallNeeds(whole)}`

const STILL_MINE = `
SELECT (wanted.n - 1)::integer AS place
FROM unnest($2::bigint[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS wanted (transaction_id, rule_id, attempt, n)
  JOIN ops.claim c ON c.transaction_id = wanted.transaction_id AND c.rule_id = wanted.rule_id
WHERE c.worker = $1 AND c.attempt = wanted.attempt`

/** Releases attempts that did not start. Any worker may claim them again. */
const GIVE_BACK = `
DELETE FROM ops.claim c
USING unnest($2::bigint[], $3::bigint[], $4::integer[]) AS given (transaction_id, rule_id, attempt)
WHERE c.worker = $1 AND c.transaction_id = given.transaction_id AND c.rule_id = given.rule_id AND c.attempt = given.attempt`

const COUNT_OPEN = `
SELECT count(*) AS open FROM ops.claim c
  JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
WHERE c.worker <> $1 AND d.status = 'open' AND c.attempt > d.attempt`

const BEAT = `
INSERT INTO ops.worker AS w (worker, beat) VALUES ($1, 1)
ON CONFLICT (worker) DO UPDATE SET beat = w.beat + 1, beaten_at = now(), ended_at = NULL
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

type DeliveryTuple = [number, Claimed['deliveries'][number]['status'], number, number, string | null]

type ClaimRow = Omit<Claimed['rule'], 'ordered'> &
  Omit<Claimed['transaction'], 'id'> & {
    transaction_id: number
    rule_id: number
    attempt: number
    lane: LaneName
    due_at: string
    captured_at: string
    orphan: boolean
    ordered: 0 | 1
    endpoint: string
    watched: boolean
    passed_through: boolean
    is_last: boolean
    is_replay: boolean
    deliveries: DeliveryTuple[]
  }

/**
 * Written without spread, as in all code that creates many objects: in Node 20, spread gives each object a separate hidden
 * class.
 */
const claimedOf = (row: ClaimRow): Claimed => ({
  transaction_id: row.transaction_id,
  rule_id: row.rule_id,
  user_id: row.user_id,
  attempt: row.attempt,
  lane: row.lane,
  due_at: row.due_at,
  captured_at: row.captured_at,
  isLast: row.is_last,
  isReplay: row.is_replay,
  rule: {
    url: row.url,
    http_method: row.http_method,
    payload_format: row.payload_format,
    custom_template: row.custom_template,
    sealed_secret: row.sealed_secret,
    sealed_previous: row.sealed_previous,
    previous_until: row.previous_until,
    account_revision: row.account_revision,
    max_per_minute: row.max_per_minute,
    ordered: row.ordered === 1,
  },
  endpoint: { name: row.endpoint, watched: row.watched, isPassedThrough: row.passed_through },
  transaction: {
    id: row.transaction_id,
    user_id: row.user_id,
    bank_code: row.bank_code,
    bank_name: row.bank_name,
    transaction_type: row.transaction_type,
    amount: row.amount,
    currency: row.currency,
    balance_after: row.balance_after,
    account_number: row.account_number,
    transaction_ref: row.transaction_ref,
    transaction_date: row.transaction_date,
    description: row.description,
    content: row.content,
    counterpart_name: row.counterpart_name,
    order_id: row.order_id,
    prefix: row.prefix,
    already_run_of: row.already_run_of,
    webhook_status: row.webhook_status,
    created_at: row.created_at,
  },
  deliveries: row.deliveries.map(([rule_id, status, attempt, round_base, due_at]) => ({
    rule_id,
    status,
    attempt,
    round_base,
    due_at,
  })),
})

const dueOf = (rows: readonly ClaimRow[]): Due => ({
  claimed: rows.filter((row) => !row.orphan).map(claimedOf),
  orphans: rows.filter((row) => row.orphan),
})

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
  const statements = {
    first: first(whole),
    due: due(whole),
    gated: claimGated(whole, probeEvery),
    takeOver: takeOver(whole),
  }
  const claimBy = async (statement: string, worker: string, { room, perRule, fullRules }: DueWanted) => {
    const lanes = Object.entries(room).filter(([, free]) => free > 0)
    const names = lanes.map(([name]) => name)
    const rooms = lanes.map(([, free]) => free)
    return dueOf(await database.query<ClaimRow>(statement, [worker, names, rooms, perRule, fullRules]))
  }
  const columns = (claims: readonly Claim[]) =>
    (['transaction_id', 'rule_id', 'attempt'] as const).map((name) => claims.map((claim) => claim[name]))

  return {
    claimFirst: async (worker, transactions, fullRules, limit) => {
      const wanted = [worker, transactions, fullRules, limit]
      const rows = await byKey.query<ClaimRow>(statements.first, wanted, `claim_first_${whole}`)
      const claimed = rows.filter((row) => row.attempt !== null)
      return { claimed: claimed.map(claimedOf), isGated: claimed.length < rows.length }
    },

    claimDue: (worker, wanted) => claimBy(statements.due, worker, wanted),

    claimGated: async (worker, wanted) => (await claimBy(statements.gated, worker, wanted)).claimed,

    takeOver: async (worker, dead, limit) => {
      const others = dead.filter((each) => each !== worker)
      if (others.length > 0) await database.query(FREE_GATED, [others])
      return dueOf(await database.query<ClaimRow>(statements.takeOver, [worker, dead, limit]))
    },

    giveBack: async (worker, claims) => {
      await database.query(GIVE_BACK, [worker, ...columns(claims)])
    },

    updateEndpoints: (updates) => updateEndpoints(database, updates, probeEvery),

    stillMine: async (worker, claims) =>
      (await database.query<{ place: number }>(STILL_MINE, [worker, ...columns(claims)])).map(({ place }) => place),

    countOpen: async (worker) => (await database.query<{ open: number }>(COUNT_OPEN, [worker]))[0]!.open,

    beat: async (worker) => {
      const [row] = await database.query<{ now: string; is_new: boolean }>(BEAT, [worker])
      const others = await database.query<OtherWorker>(OTHERS, [worker])
      return { now: new Date(row!.now), others, isNew: row!.is_new }
    },

    signOff: async (worker) => {
      await database.query('UPDATE ops.worker SET ended_at = now() WHERE worker = $1', [worker])
    },

    sweep: async (dead) => {
      await database.query(SWEEP_CLAIMS)
      await sweepEndpoints(database)
      if (dead.length > 0) await database.query(SWEEP_WORKERS, [dead])
    },
  }
}
