// Tests: tests/integration/delivery/queue.test.ts
/**
 * Claims of due deliveries: a few of every rule and lane. Users take turns, and the rules of a user do. So an account with very
 * many rules leaves room for others. In a turn, those that have waited longest are first. Gated rules have their own statement
 * (`gated-claims.ts`). The second of the two statements gets the room that the first one has left.
 */
import { LANES, type DeliveryQueue, type DueWanted } from '../../../workflows/deliver/queue.ts'
import { columnsOf } from '../../database/columns.ts'
import type { Queryable } from '../../database/database.ts'
import {
  CLAIM_DUE,
  GATED,
  hasAccount,
  isTooFarAhead,
  NOT_HELD,
  shareLeft,
  unclaimed,
  whatTheCallNeeds,
} from './claim-sql.ts'
import { dueOf, type ClaimRow } from './claimed-rows.ts'
import type { DueLanes, RuleLane } from './due-lanes.ts'
import { delivered } from './gaps.ts'
import { claimGated } from './gated-claims.ts'
import { putOffOf, type PutOff } from './put-off.ts'
import { sharesOf, without } from './shares.ts'

interface Schedule {
  /** Seconds of the whole schedule. */
  whole: number
  /** Seconds that a retry waits at most. */
  longest: number
  /** Seconds between two probes. */
  probeEvery: number
}

const OF_DUE = 'q.transaction_id, q.rule_id, q.user_id, q.attempt + 1 AS attempt, q.lane, q.due_at'

/**
 * `$1` worker, `$2` lanes with room, `$3` their room, `$4` most rows per rule and lane, `$5` rules whose endpoints have no
 * room, `$6` and `$7` the rules and lanes to look at (`due-lanes.ts`), `$8` seconds by which first attempts are early, `$9` to
 * `$11` retries that a wrong clock put off (`put-off.ts`), `$12` and `$13` what is left of the users' shares.
 */
const claimUngated = ({ whole, longest }: Schedule): string => `
WITH ${delivered(whole)}, turns AS (
  SELECT d.*, own.rest, row_number() OVER (PARTITION BY d.lane, r.user_id ORDER BY d.place, d.due_at) AS turn
  FROM unnest($6::bigint[], $7::text[]) AS found (rule_id, lane)
    LEFT JOIN read_model.rule r ON r.rule_id = found.rule_id
    LEFT JOIN read_model.account a ON a.user_id = r.user_id
    CROSS JOIN LATERAL (SELECT ${shareLeft('r.user_id', 'found.lane', 12)} AS rest) own
    CROSS JOIN LATERAL (
      SELECT x.*, row_number() OVER (ORDER BY x.due_at) AS place
      FROM (
        (SELECT ${OF_DUE} FROM read_model.delivery q
        WHERE q.rule_id = found.rule_id AND q.lane = found.lane AND q.status = 'open' AND ${unclaimed('q')}
          AND q.due_at <= now() + CASE WHEN found.lane = 'first' THEN make_interval(secs => $8) ELSE '0' END
        ORDER BY q.due_at LIMIT $4)
        UNION ALL
        (SELECT ${OF_DUE} FROM read_model.delivery q
        WHERE q.rule_id = found.rule_id AND ${isTooFarAhead('q', longest, 'found.lane')} AND ${unclaimed('q')}
        ORDER BY q.due_at LIMIT $4)
        UNION ALL
        (SELECT ${OF_DUE} FROM ${putOffOf(9, 'found.rule_id')} q
        WHERE found.lane = 'retry' AND q.due_at > now() AND NOT (${isTooFarAhead('q', longest)}) AND ${unclaimed('q')}
        ORDER BY q.due_at LIMIT $4)
      ) x
    ) d
  WHERE found.lane = ANY ($2::text[]) AND found.rule_id <> ALL ($5::bigint[]) AND ${NOT_HELD} AND NOT ${GATED}
    AND own.rest > 0 AND ${hasAccount('d')}
), ranked AS (
  SELECT turns.*, row_number() OVER (PARTITION BY lane ORDER BY turn, due_at) AS place_in_lane FROM turns
  WHERE turn <= rest
), due AS (
  SELECT ranked.* FROM ranked JOIN unnest($2::text[], $3::integer[]) AS lane (name, room) ON lane.name = ranked.lane
  WHERE ranked.place_in_lane <= lane.room
), ${CLAIM_DUE} ${whatTheCallNeeds()}`

/** `$2` to `$5` of both statements. */
const roomOf = ({ room, perRule, fullRules }: DueWanted): unknown[] => {
  const free = LANES.filter((lane) => room[lane] > 0)
  return [free, free.map((lane) => room[lane]), perRule, fullRules]
}

interface DueParts {
  dueLanes: DueLanes
  putOff: PutOff
  schedule: Schedule
}

export const openDueClaims = (
  database: Queryable,
  { dueLanes, putOff, schedule }: DueParts,
): DeliveryQueue['claimDue'] => {
  const statements = { ungated: claimUngated(schedule), gated: claimGated(schedule) }
  /** At every other look, gated rules are first, so that the others cannot take all room for long. */
  let isGatedFirst = true
  return async (worker, wanted) => {
    const { lanes: found, hasMore } = await dueLanes.look()
    const late = putOff.due()
    const isFound = ({ rule_id }: RuleLane) => found.some((each) => each.rule_id === rule_id && each.lane === 'retry')
    const lanes = [...found, ...late.lanes.filter((each) => !isFound(each))]
    if (lanes.length === 0) return { claimed: [], orphans: [], hasMore }
    const [rules, names] = columnsOf(lanes, 'rule_id', 'lane')
    const claim = (statement: string, part: DueWanted, more: unknown[], atTheEnd: unknown[] = []) =>
      database.query<ClaimRow>(statement, [
        worker, ...roomOf(part), ...more, ...late.columns, ...sharesOf(part), ...atTheEnd,
      ]) // prettier-ignore
    const waiting = columnsOf(wanted.limitedWaiting ?? [], 'rule_id', 'lane')
    const ungated = (part: DueWanted) => claim(statements.ungated, part, [rules, names, part.firstEarlier])
    const gated = (part: DueWanted) => claim(statements.gated, part, [rules], waiting)
    isGatedFirst = !isGatedFirst
    const [begin, goOn] = isGatedFirst ? [gated, ungated] : [ungated, gated]
    const begun = await begin(wanted)
    return { ...dueOf([...begun, ...(await goOn(without(begun, wanted)))]), hasMore }
  }
}
