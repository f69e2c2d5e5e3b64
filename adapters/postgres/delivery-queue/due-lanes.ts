// Tests: tests/integration/delivery/due-lanes.test.ts
/**
 * Finds the lanes of rules that have due deliveries. The cost of a search does not grow with the number of rules, of deliveries
 * that wait, or of due deliveries that may not be claimed now.
 *
 * A pass reads an index on the due times and notes the lane of each rule that it finds. A noted lane is checked at later searches
 * until nothing in it is due, because its rule may be paused, gated or without room. If one page of the index has everything
 * that is due, each search is a whole pass. Otherwise, a search continues where the last one ended. Once a pass has reached the
 * end, searches read only what became due in the last minute, and a new pass begins after a minute. It finds deliveries that
 * were projected so late that they were already due for longer.
 */
import { dueBy, isTooFarAhead } from './claim-sql.ts'
import { LANES, type LaneName } from '../../../workflows/deliver/queue.ts'
import type { Queryable } from '../../database/database.ts'
import { columnsOf } from '../../database/columns.ts'

/** Noted lanes that a search checks. If there are more, they take turns. As many new ones are returned at once. */
const CHECKED = 250
/** Due deliveries that a search reads of a lane: at the start of a pass, and later in it. */
const FIRST_PAGE = 2_000
const PAGE = 10_000
/**
 * The lane of first attempts is read up to the time that the log has for them, because those of gated rules do not wait for
 * the log. In a burst many are open, so little is read.
 */
const PAGE_OF_FIRST = 500
/** Seconds before the last search from which deliveries are read again. */
const READ_AGAIN = 60
/** Milliseconds between the starts of two passes that need more than one page. */
const PASS_EVERY = 60_000

/** `$1` lanes, `$2` and `$3` due time and rule after which to read, `$4` most rows, `$5` and `$6` noted rules and lanes. */
const find = (longest: number): string => `
WITH passed AS MATERIALIZED (
  SELECT q.lane, q.rule_id, max(q.due_at) AS due_at, count(*) AS count
  FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::integer[]) AS after (lane, due_at, rule_id, page)
    CROSS JOIN LATERAL (
      SELECT d.lane, d.rule_id, d.due_at FROM read_model.delivery d
      WHERE d.status = 'open' AND d.lane = after.lane AND (d.due_at, d.rule_id) > (after.due_at, after.rule_id)
        AND d.due_at <= ${dueBy('after.lane')}
      ORDER BY d.due_at, d.rule_id LIMIT after.page
    ) q
  GROUP BY q.lane, q.rule_id
), checked AS (
  SELECT rule_id, lane FROM unnest($5::bigint[], $6::text[]) AS noted (rule_id, lane)
  WHERE EXISTS (
      SELECT FROM read_model.delivery q WHERE q.rule_id = noted.rule_id AND q.lane = noted.lane AND q.status = 'open'
        AND q.due_at <= ${dueBy('noted.lane')})
    OR EXISTS (
      SELECT FROM read_model.delivery q WHERE q.rule_id = noted.rule_id AND ${isTooFarAhead('q', longest, 'noted.lane')})
), ahead AS (
  SELECT x.* FROM unnest($1::text[]) AS each (lane) CROSS JOIN LATERAL (
    SELECT q.lane, q.rule_id FROM read_model.delivery q WHERE ${isTooFarAhead('q', longest, 'each.lane')}
    ORDER BY q.due_at LIMIT ${CHECKED}
  ) x
)
SELECT 'checked' AS by, lane, rule_id, NULL::text AS due_at, NULL::bigint AS count FROM checked
UNION ALL SELECT 'passed', lane, rule_id, NULL, NULL FROM passed
UNION ALL SELECT DISTINCT 'passed', lane, rule_id, NULL::text, NULL::bigint FROM ahead
UNION ALL (
  SELECT DISTINCT ON (lane) 'reached', lane, rule_id, due_at::text, (sum(count) OVER (PARTITION BY lane))::bigint FROM passed
  ORDER BY lane, due_at DESC, rule_id DESC)
UNION ALL
  SELECT 'end', lane, 0, (${dueBy('lane')} - interval '${READ_AGAIN} seconds')::text, NULL FROM unnest($1::text[]) AS lane`

interface Found extends RuleLane {
  by: 'checked' | 'passed' | 'reached' | 'end'
  due_at: string
  count: number
}

/** A lane of a rule. */
export interface RuleLane {
  rule_id: number
  lane: LaneName
}

/** Where to continue in the index. The due time is text, because it has microseconds. */
type IndexPosition = Pick<Found, 'due_at' | 'rule_id'>

const START: IndexPosition = { due_at: '-infinity', rule_id: 0 }

/** How far a lane has been read. */
interface Reading {
  after: IndexPosition
  /** Milliseconds of `performance.now()`. */
  begunAt: number
  isInPass: boolean
}

const fromStart = (): Reading => ({ after: START, begunAt: performance.now(), isInPass: true })

const keyOf = ({ rule_id, lane }: RuleLane): string => `${rule_id} ${lane}`

const pageOf = (lane: LaneName, { after }: Reading): number =>
  lane === 'first' ? PAGE_OF_FIRST : after === START ? FIRST_PAGE : PAGE

export class DueLanes {
  readonly #database: Queryable
  readonly #find: string
  /** In the order of their turns. */
  readonly #noted = new Map<string, RuleLane>()
  /** How many noted lanes have their turn before all that were found together have had it. */
  #unchecked = 0
  #readings: ReadonlyMap<LaneName, Reading> = new Map()

  /** @param longest  seconds that a retry waits at most */
  constructor(database: Queryable, longest: number) {
    this.#database = database
    this.#find = find(longest)
    this.beginAgain()
  }

  /** Begins a new pass. */
  beginAgain(): void {
    this.#readings = new Map(LANES.map((lane) => [lane, fromStart()]))
  }

  /** Notes lanes that have due deliveries. */
  note(lanes: Iterable<RuleLane>): void {
    for (const { rule_id, lane } of lanes) this.#noted.set(keyOf({ rule_id, lane }), { rule_id, lane })
  }

  /** @returns lanes that have due deliveries. `hasMore`: the next search finds others, and should follow at once. */
  async look(): Promise<{ lanes: RuleLane[]; hasMore: boolean }> {
    const turn = this.#turn()
    const readings = LANES.map((lane) => [lane, this.#readings.get(lane)!] as const)
    const found = await this.#database.query<Found>(this.#find, [
      LANES,
      readings.map(([, { after }]) => after.due_at),
      readings.map(([, { after }]) => after.rule_id),
      readings.map(([lane, reading]) => pageOf(lane, reading)),
      ...columnsOf(turn, 'rule_id', 'lane'),
    ])
    const fresh = found.filter((each) => each.by === 'passed' && !this.#noted.has(keyOf(each)))
    const checked = found.filter(({ by }) => by === 'checked')
    for (const each of turn) this.#noted.delete(keyOf(each))
    this.note(fresh)
    this.note(checked)
    this.#readings = new Map(readings.map(([lane, reading]) => [lane, readOn(lane, reading, found)]))
    this.#unchecked = fresh.length > CHECKED ? this.#noted.size : Math.max(0, this.#unchecked - turn.length)
    const isInMiddle = LANES.some((lane) => lane !== 'first' && this.#isInMiddle(lane))
    return { lanes: [...checked, ...fresh.slice(0, CHECKED)], hasMore: isInMiddle || this.#unchecked > 0 }
  }

  #turn(): RuleLane[] {
    const turn: RuleLane[] = []
    for (const each of this.#noted.values()) if (turn.push(each) === CHECKED) break
    return turn
  }

  #isInMiddle(lane: LaneName): boolean {
    const { isInPass, after } = this.#readings.get(lane)!
    return isInPass && after !== START
  }
}

const readOn = (lane: LaneName, reading: Reading, found: readonly Found[]): Reading => {
  const of = (kind: Found['by']) => found.find(({ by, lane: its }) => by === kind && its === lane)
  const reached = of('reached')
  if (reached && reached.count >= pageOf(lane, reading)) return { ...reading, after: reached }
  if (reading.after === START || performance.now() - reading.begunAt > PASS_EVERY) return fromStart()
  return { ...reading, after: of('end')!, isInPass: false }
}
