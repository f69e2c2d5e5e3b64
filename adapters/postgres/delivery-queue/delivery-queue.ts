// Tests: tests/integration/delivery/queue.test.ts
/**
 * The delivery queue in SQL: set-based claims over the read models.
 *
 * A claim is one row per delivery whose attempt number only rises. `ON CONFLICT … WHERE claim.attempt < excluded.attempt`
 * gives each attempt to exactly one worker, whatever was read before. A claim that is not recorded yet has a higher number
 * than the delivery in the read models. Rows are always locked in key order, so that workers that claim the same rows wait
 * for each other but never deadlock.
 *
 * The statements for first attempts (`first-claims.ts`) and for the present rules are prepared: for a few rows at a time, planning costs more
 * than execution. The other statements are planned at every use: plans that were made while the tables were empty would read whole tables.
 */
import { PROBE_EVERY } from '../../../domain/webhook/endpoint.ts'
import { RETRY_SCHEDULE, wholeSchedule } from '../../../domain/webhook/retry-schedule.ts'
import type { Claim, DeliveryQueue, PresentRule } from '../../../workflows/deliver/queue.ts'
import { columnsOf } from '../../database/columns.ts'
import type { Queryable } from '../../database/database.ts'
import { longestDelay, NOT_HELD } from './claim-sql.ts'
import { openDueClaims } from './due-claims.ts'
import { DueLanes } from './due-lanes.ts'
import { sweepEndpoints, updateEndpoints } from './endpoints.ts'
import { openFirstClaims } from './first-claims.ts'
import { sweepGaps } from './gaps.ts'
import { claimNew } from './new-claims.ts'
import { PutOff } from './put-off.ts'
import { openTakeOver } from './take-over.ts'
import { openWorkers, sweepWorkers } from './workers.ts'

/** Seconds after which a recorded claim is deleted. */
const KEPT = 600

const STILL_MINE = `
SELECT (wanted.n - 1)::integer AS place
FROM unnest($2::bigint[], $3::bigint[], $4::integer[]) WITH ORDINALITY AS wanted (transaction_id, rule_id, attempt, n)
  JOIN ops.claim c ON c.transaction_id = wanted.transaction_id AND c.rule_id = wanted.rule_id
WHERE c.worker = $1 AND c.attempt = wanted.attempt`

const PRESENT_RULES = `
SELECT r.rule_id, r.account_revision, r.url
FROM unnest($1::bigint[]) AS wanted (rule_id)
  JOIN read_model.rule r ON r.rule_id = wanted.rule_id
  JOIN read_model.account a ON a.user_id = r.user_id
WHERE ${NOT_HELD}`

/** Releases attempts that did not start. Any worker may claim them again. */
const GIVE_BACK = `
DELETE FROM ops.claim c
USING unnest($2::bigint[], $3::bigint[], $4::integer[]) AS given (transaction_id, rule_id, attempt)
WHERE c.worker = $1 AND c.transaction_id = given.transaction_id AND c.rule_id = given.rule_id AND c.attempt = given.attempt`

const SWEEP_CLAIMS = `
DELETE FROM ops.claim c
WHERE c.claimed_at < now() - make_interval(secs => ${KEPT}) AND NOT EXISTS (
  SELECT FROM read_model.delivery d
  WHERE d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id AND d.status = 'open' AND d.attempt < c.attempt)`

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
  const dueLanes = new DueLanes(database, longest)
  const putOff = new PutOff(database)
  const columns = (claims: readonly Claim[]) => columnsOf(claims, 'transaction_id', 'rule_id', 'attempt')

  return {
    claimNew: (worker, deliveries, fullRules) => claimNew(byKey, worker, deliveries, fullRules),
    claimFirst: openFirstClaims(byKey, dueLanes, whole),
    claimDue: openDueClaims(database, { dueLanes, putOff, schedule: { whole, longest, probeEvery } }),
    takeOver: openTakeOver(database, dueLanes, whole),

    presentRules: (rules) => byKey.query<PresentRule>(PRESENT_RULES, [rules], 'present_rules'),

    giveBack: async (worker, claims) => {
      await database.query(GIVE_BACK, [worker, ...columns(claims)])
    },

    updateEndpoints: (updates) => updateEndpoints(database, updates, probeEvery),

    stillMine: async (worker, claims) =>
      (await database.query<{ place: number }>(STILL_MINE, [worker, ...columns(claims)])).map(({ place }) => place),

    ...openWorkers(database, (now) => putOff.beaten(now)),

    sweep: async (dead) => {
      await database.query(SWEEP_CLAIMS)
      await putOff.look()
      await sweepEndpoints(database)
      await sweepGaps(database, whole)
      await sweepWorkers(database, dead)
    },
  }
}
