/**
 * The delivery queue in SQL: set-based claims over the read models.
 *
 * A claim is a row per delivery whose attempt number only rises: `ON CONFLICT … WHERE claim.attempt < excluded.attempt` lets
 * exactly one worker have each attempt, whatever was read before. What is claimed and not recorded is a row whose number is
 * above the delivery's in the read models. Rows are always taken in the order of their key, so that workers that claim the
 * same ones wait for each other and never for ever.
 *
 * The statements are planned at every use: plans kept from when the tables were empty would read all of them.
 */
import type { Claimed, DeliveryQueue, Due, LaneName, OtherWorker } from '../../workflows/deliver/queue.ts'
import type { Queryable } from './database.ts'

/** A first try is claimed from the log only where the queue would have it within so many seconds: over quota, it waits. */
const FROM_LOG_WITHIN = 65

/** Seconds after which a recorded claim is forgotten. */
const KEPT = 600

/** What a call needs, joined to the rows of `claimed`. */
const WHAT_THE_CALL_NEEDS = `
  SELECT c.transaction_id, c.rule_id, c.attempt, d.user_id, d.lane, d.due_at, d.captured_at,
    r.rule_id IS NULL AS orphan, r.url, r.http_method, r.payload_format, r.custom_template, r.sealed_secret,
    r.account_revision,
    t.bank_code, t.bank_name, t.transaction_type, t.amount, t.currency, t.balance_after, t.account_number,
    t.transaction_ref, t.transaction_date, t.description, t.content, t.counterpart_name, t.order_id, t.prefix,
    t.already_run_of, t.webhook_status, t.created_at,
    (SELECT json_agg(json_build_array(s.rule_id, s.status, s.attempt, s.round_base, s.due_at))
      FROM read_model.delivery s WHERE s.transaction_id = c.transaction_id) AS deliveries
  FROM claimed c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
    JOIN read_model.transaction t ON t.id = c.transaction_id
    LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
  ORDER BY d.due_at, c.transaction_id, c.rule_id`

const CLAIM_DUE = `claimed AS (
  INSERT INTO ops.claim AS c (transaction_id, rule_id, attempt, worker)
    SELECT transaction_id, rule_id, attempt, $1 FROM due ORDER BY transaction_id, rule_id
  ON CONFLICT (transaction_id, rule_id) DO UPDATE
    SET attempt = excluded.attempt, worker = excluded.worker, claimed_at = now()
    WHERE c.attempt < excluded.attempt
  RETURNING c.transaction_id, c.rule_id, c.attempt
)`

/** Neither paused nor of a locked account; a row whose rule is gone is not held, but ended. */
const NOT_HELD = '(r.rule_id IS NULL OR (r.is_active = 1 AND NOT a.locked))'

const FIRST = `
WITH due AS (
  SELECT d.transaction_id, d.rule_id, d.attempt + 1 AS attempt
  FROM unnest($2::bigint[]) AS wanted (id)
    JOIN read_model.delivery d ON d.transaction_id = wanted.id
    JOIN read_model.rule r ON r.rule_id = d.rule_id
    JOIN read_model.account a ON a.user_id = d.user_id
  WHERE d.status = 'open' AND d.lane = 'first'
    AND d.due_at <= greatest(now(), d.captured_at) + make_interval(secs => ${FROM_LOG_WITHIN})
    AND ${NOT_HELD} AND d.rule_id <> ALL ($3::bigint[])
  ORDER BY d.transaction_id, d.rule_id
  LIMIT $4
), ${CLAIM_DUE} ${WHAT_THE_CALL_NEEDS}`

/** Lanes of rules that have open deliveries, hopping from one to the next in the index: each costs one look, not its rows. */
const DUE = `
WITH RECURSIVE hop AS (
  (SELECT rule_id, lane FROM read_model.delivery WHERE status = 'open' ORDER BY rule_id, lane LIMIT 1)
  UNION ALL
  SELECT next.rule_id, next.lane FROM hop CROSS JOIN LATERAL (
    SELECT d.rule_id, d.lane FROM read_model.delivery d
    WHERE d.status = 'open' AND (d.rule_id, d.lane) > (hop.rule_id, hop.lane)
    ORDER BY d.rule_id, d.lane LIMIT 1
  ) next
), ranked AS (
  SELECT d.*, row_number() OVER (PARTITION BY d.lane ORDER BY d.place, d.due_at) AS place_in_lane
  FROM hop
    LEFT JOIN read_model.rule r ON r.rule_id = hop.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
    CROSS JOIN LATERAL (
      SELECT x.*, row_number() OVER (ORDER BY x.due_at) AS place
      FROM (
        SELECT q.transaction_id, q.rule_id, q.attempt + 1 AS attempt, q.lane, q.due_at
        FROM read_model.delivery q
        WHERE q.rule_id = hop.rule_id AND q.lane = hop.lane AND q.status = 'open' AND q.due_at <= now()
          AND NOT EXISTS (SELECT FROM ops.claim c
            WHERE c.transaction_id = q.transaction_id AND c.rule_id = q.rule_id AND c.attempt > q.attempt)
        ORDER BY q.due_at LIMIT $4
      ) x
    ) d
  WHERE hop.lane = ANY ($2::text[]) AND hop.rule_id <> ALL ($5::bigint[]) AND ${NOT_HELD}
), due AS (
  SELECT ranked.* FROM ranked JOIN unnest($2::text[], $3::integer[]) AS lane (name, room) ON lane.name = ranked.lane
  WHERE ranked.place_in_lane <= lane.room
), ${CLAIM_DUE} ${WHAT_THE_CALL_NEEDS}`

const TAKE_OVER = `
WITH due AS (
  SELECT c.transaction_id, c.rule_id
  FROM ops.claim c
    JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
    LEFT JOIN read_model.rule r ON r.rule_id = c.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
  WHERE c.worker = ANY ($2::uuid[]) AND d.status = 'open' AND c.attempt > d.attempt AND ${NOT_HELD}
  ORDER BY c.transaction_id, c.rule_id
  LIMIT $3
  FOR UPDATE OF c SKIP LOCKED
), claimed AS (
  UPDATE ops.claim c SET worker = $1, claimed_at = now() FROM due
  WHERE c.transaction_id = due.transaction_id AND c.rule_id = due.rule_id
  RETURNING c.transaction_id, c.rule_id, c.attempt
) ${WHAT_THE_CALL_NEEDS}`

const STILL_MINE = `
SELECT (wanted.n - 1)::integer AS place
FROM unnest($2::bigint[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS wanted (transaction_id, rule_id, attempt, n)
  JOIN ops.claim c ON c.transaction_id = wanted.transaction_id AND c.rule_id = wanted.rule_id
WHERE c.worker = $1 AND c.attempt = wanted.attempt`

const COUNT_OPEN = `
SELECT count(*) AS open FROM ops.claim c
  JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
WHERE c.worker <> $1 AND d.status = 'open' AND c.attempt > d.attempt`

const BEAT = `
INSERT INTO ops.worker AS w (worker, beat) VALUES ($1, 1)
ON CONFLICT (worker) DO UPDATE SET beat = w.beat + 1, beaten_at = now(), ended_at = NULL
RETURNING now() AS now`

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

type ClaimRow = Claimed['rule'] &
  Omit<Claimed['transaction'], 'id'> & {
    transaction_id: number
    rule_id: number
    attempt: number
    lane: LaneName
    due_at: string
    captured_at: string
    orphan: boolean
    deliveries: DeliveryTuple[]
  }

const claimedOf = (row: ClaimRow): Claimed => {
  const { url, http_method, payload_format, custom_template, sealed_secret, account_revision, ...rest } = row
  const { transaction_id, rule_id, attempt, lane, due_at, captured_at, orphan: _, deliveries, ...transaction } = rest
  return {
    transaction_id, rule_id, user_id: row.user_id, attempt, lane, due_at, captured_at,
    rule: { url, http_method, payload_format, custom_template, sealed_secret, account_revision },
    transaction: { ...transaction, id: transaction_id },
    deliveries: deliveries.map(([rule, status, last, round_base, due]) => ({
      rule_id: rule, status, attempt: last, round_base, due_at: due,
    })),
  } // prettier-ignore
}

const dueOf = (rows: readonly ClaimRow[]): Due => ({
  claimed: rows.filter((row) => !row.orphan).map(claimedOf),
  orphans: rows.filter((row) => row.orphan),
})

export const openDeliveryQueue = (database: Queryable): DeliveryQueue => ({
  claimFirst: async (worker, transactions, fullRules, limit) =>
    (await database.query<ClaimRow>(FIRST, [worker, transactions, fullRules, limit])).map(claimedOf),

  claimDue: async (worker, { room, perRule, fullRules }) => {
    const lanes = Object.entries(room).filter(([, free]) => free > 0)
    const names = lanes.map(([name]) => name)
    const rooms = lanes.map(([, free]) => free)
    return dueOf(await database.query<ClaimRow>(DUE, [worker, names, rooms, perRule, fullRules]))
  },

  takeOver: async (worker, dead, limit) => dueOf(await database.query<ClaimRow>(TAKE_OVER, [worker, dead, limit])),

  stillMine: async (worker, claims) => {
    const column = (name: 'transaction_id' | 'rule_id' | 'attempt') => claims.map((claim) => claim[name])
    const values = [worker, column('transaction_id'), column('rule_id'), column('attempt')]
    return (await database.query<{ place: number }>(STILL_MINE, values)).map(({ place }) => place)
  },

  countOpen: async (worker) => (await database.query<{ open: number }>(COUNT_OPEN, [worker]))[0]!.open,

  beat: async (worker) => {
    const [row] = await database.query<{ now: string }>(BEAT, [worker])
    return { now: new Date(row!.now), others: await database.query<OtherWorker>(OTHERS, [worker]) }
  },

  goodbye: async (worker) => {
    await database.query('UPDATE ops.worker SET ended_at = now() WHERE worker = $1', [worker])
  },

  sweep: async (dead) => {
    await database.query(SWEEP_CLAIMS)
    if (dead.length > 0) await database.query(SWEEP_WORKERS, [dead])
  },
})
