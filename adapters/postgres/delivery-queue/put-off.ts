// Tests: tests/integration/delivery/clock-ahead.test.ts
/**
 * Retries that were put off because the database's clock was ahead. It has been corrected since. Their due time may look right, such as in an hour.
 * But the claim of their last attempt has a time in the future, so both times are wrong by the same amount. The delay between them is right.
 * It is counted from the moment at which the row was found.
 *
 * A worker reads the database's time at its heartbeats. So it dates results by the wrong clock for some seconds after the correction. The claim of such an
 * attempt has the right time, and its result has one in the future. That is looked for in young claims, for some minutes after the clock was set back.
 *
 * Claims are kept for minutes only after they were recorded, and a search reads them all. So searches are made at the first heartbeat, when the clock was
 * set back, and once a minute with the sweep.
 */
import type { Queryable } from '../../database/database.ts'
import { CLOCKS_DIFFER } from './claim-sql.ts'
import type { RuleLane } from './due-lanes.ts'
import { columnsOf } from '../../database/columns.ts'

/** Rows of one search. */
const MOST = 1_000

/** Milliseconds after a correction in which results with a wrong time are looked for. The sweep searches twice meanwhile. */
const WATCHED_MS = 150_000
/** Milliseconds before it was noticed: results of older claims were dated before it. */
const NOTICED_WITHIN_MS = 30_000

/** `$1` seconds: claims that are younger may have a result with a wrong time. */
const FIND = `
SELECT c.transaction_id, c.rule_id, c.attempt, extract(epoch FROM d.due_at - greatest(c.claimed_at, p.created_at))::float8 AS delay
FROM ops.claim c JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
  LEFT JOIN read_model.attempt p ON p.transaction_id = c.transaction_id AND p.rule_id = c.rule_id AND p.attempt = c.attempt
WHERE c.claimed_at > now() - make_interval(secs => $1) AND d.status = 'open' AND d.lane = 'retry'
  AND d.attempt = c.attempt AND d.due_at > now()
  AND greatest(c.claimed_at, p.created_at) > now() + interval '${CLOCKS_DIFFER} seconds'
ORDER BY d.due_at LIMIT ${MOST}`

interface Found {
  transaction_id: number
  rule_id: number
  attempt: number
  /** Seconds. */
  delay: number
}

/**
 * Open deliveries among the rows of three parameters, each looked up by its key.
 * @param first  number of the first of the parameters · @param rule  SQL for their rule
 */
export const putOffOf = (first: number, rule: string): string => `(
  SELECT p.* FROM unnest($${first}::bigint[], $${first + 1}::bigint[], $${first + 2}::integer[]) AS late (transaction_id, rule_id, attempt)
    CROSS JOIN LATERAL (
      SELECT * FROM read_model.delivery WHERE transaction_id = late.transaction_id AND rule_id = late.rule_id OFFSET 0) p
  WHERE late.rule_id = ${rule} AND p.attempt = late.attempt AND p.status = 'open' AND p.lane = 'retry')`

export class PutOff {
  readonly #database: Queryable
  /** When a retry is due by this process' monotonic clock, by delivery and attempt. */
  #due: ReadonlyMap<string, Found & { at: number }> = new Map()
  /** The database's time at the zero of the monotonic clock: milliseconds. */
  #zero = Infinity
  /** When the clock was last found set back, by the monotonic clock. The start counts as one. */
  #setBackAt = performance.now()

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Notes the database's time. */
  async beaten(now: Date): Promise<void> {
    const zero = now.getTime() - performance.now()
    const wasSetBack = zero < this.#zero - CLOCKS_DIFFER * 1_000
    if (wasSetBack) this.#setBackAt = performance.now()
    // Without read models there is nothing to find yet. Then the next heartbeat searches.
    const isDone = !wasSetBack || (await this.look().then(() => true, () => false)) // prettier-ignore
    if (isDone) this.#zero = zero
  }

  async look(): Promise<void> {
    const since = performance.now() - this.#setBackAt
    const young = since < WATCHED_MS ? since + NOTICED_WITHIN_MS : 0
    const found = await this.#database.query<Found>(FIND, [young / 1_000])
    const known = this.#due
    this.#due = new Map(
      found.map((row) => {
        const name = `${row.transaction_id} ${row.rule_id} ${row.attempt}`
        return [name, known.get(name) ?? { ...row, at: performance.now() + row.delay * 1_000 }]
      }),
    )
  }

  /** Those that are due now. */
  due(): { columns: number[][]; lanes: RuleLane[] } {
    const due = this.#due.size === 0 ? [] : [...this.#due.values()].filter(({ at }) => at <= performance.now())
    const rules = new Set(due.map(({ rule_id }) => rule_id))
    return {
      columns: columnsOf(due, 'transaction_id', 'rule_id', 'attempt'),
      lanes: [...rules].map((rule_id) => ({ rule_id, lane: 'retry' })),
    }
  }
}
