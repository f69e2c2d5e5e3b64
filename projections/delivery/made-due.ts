// Tests: tests/integration/projections/made-due.test.ts
/**
 * Changes of rules that make waiting deliveries due: a new url, a rule that is switched on or deleted, an account that is unlocked. A rule may
 * have hundreds of thousands of such deliveries. One statement for them would hold up everything else for seconds. So a change is
 * a row here, and the projector looks at some of the deliveries after each batch (`engine/remaining.ts`), until it has looked at all.
 *
 * Later events must not be undone by that. So each delivery has the position of the event that set its due time, and a change
 * concerns only deliveries whose time was set before it. The rows are then the same as if all had been changed at once.
 */
import type { KnownEvent } from '../../domain/catalogue.ts'
import { projection, table, type Operation, type Remaining } from '../engine/definition.ts'

/** A number that rises from one event to the next: that with which the position begins. */
export const positionOf = ({ checkpoint }: Pick<KnownEvent, 'checkpoint'>): string => checkpoint.split('/')[0]!

const madeDueTable = table(
  'made_due',
  {
    position: 'bigint',
    rule_id: 'bigint',
    /** `retries`: those that were tried. `waiting`: all but those over the quota. `all`. */
    which: 'text',
    due_at: 'timestamptz',
    /** The last delivery that was looked at, oldest first; null before the first one. */
    after_captured_at: 'timestamptz',
    after_transaction: 'bigint',
  },
  { key: ['position', 'rule_id'], indexes: ['(rule_id, position)'] },
)

export const ofRule: Operation = {
  name: 'made_due_of_rule',
  values: { position: 'bigint', rule_id: 'bigint', which: 'text', due_at: 'timestamptz' },
  sql: (schema) => `INSERT INTO ${schema}.made_due (position, rule_id, which, due_at)
    SELECT v.position, v.rule_id, v.which, v.due_at FROM v ON CONFLICT DO NOTHING`,
  acrossStreams: false,
  leavesWork: true,
}

export const ofUser: Operation = {
  name: 'made_due_of_user',
  values: { position: 'bigint', user_id: 'bigint', which: 'text', due_at: 'timestamptz' },
  sql: (schema) => `INSERT INTO ${schema}.made_due (position, rule_id, which, due_at)
    SELECT v.position, r.rule_id, v.which, v.due_at FROM v JOIN ${schema}.rule r ON r.user_id = v.user_id ON CONFLICT DO NOTHING`,
  acrossStreams: false,
  leavesWork: true,
}

/** Deliveries that one statement looks at. It takes less than 0.1 s. */
const MOST = 2_000
const MOST_CHANGES = 100
/** Changes among which the first of each rule is looked for. A rule's later ones wait for it. */
const OLDEST = 1_000

const part = (schema: string, most: number): string => `
WITH change AS MATERIALIZED (
  SELECT m.*, row_number() OVER (ORDER BY m.position, m.rule_id) AS n
  FROM (SELECT DISTINCT ON (rule_id) o.* FROM (
      SELECT * FROM ${schema}.made_due ORDER BY position, rule_id LIMIT ${OLDEST}) o ORDER BY rule_id, position) m
  ORDER BY m.position, m.rule_id LIMIT ${MOST_CHANGES}
), looked AS MATERIALIZED (
  SELECT c.n, c.position, c.which, c.due_at AS present, d.* FROM change c CROSS JOIN LATERAL (
    SELECT q.transaction_id, q.rule_id, q.captured_at FROM ${schema}.delivery q
    WHERE q.rule_id = c.rule_id AND q.status = 'open'
      AND (q.captured_at, q.transaction_id) > (coalesce(c.after_captured_at, '-infinity'), coalesce(c.after_transaction, 0))
    ORDER BY q.captured_at, q.transaction_id LIMIT ${most}) d
  ORDER BY c.n, d.captured_at, d.transaction_id LIMIT ${most}
), last AS MATERIALIZED (
  SELECT n, captured_at, transaction_id FROM looked ORDER BY n DESC, captured_at DESC, transaction_id DESC
  LIMIT (SELECT CASE WHEN count(*) = ${most} THEN 1 ELSE 0 END FROM looked)
), made AS (
  UPDATE ${schema}.delivery t SET due_at = l.present FROM looked l
  WHERE t.transaction_id = l.transaction_id AND t.rule_id = l.rule_id AND coalesce(t.set_at, 0) < l.position
    AND (l.which = 'all' OR (t.due_at > l.present AND (t.lane <> 'retry' OR t.attempt > 0)))
    AND (l.which <> 'retries' OR t.lane = 'retry')
), gone_on AS (
  UPDATE ${schema}.made_due m SET after_captured_at = last.captured_at, after_transaction = last.transaction_id
  FROM last JOIN change c ON c.n = last.n WHERE m.position = c.position AND m.rule_id = c.rule_id
)
DELETE FROM ${schema}.made_due m USING change c
WHERE m.position = c.position AND m.rule_id = c.rule_id AND c.n < coalesce((SELECT n FROM last), ${MOST_CHANGES + 1})`

export const madeDue = projection(madeDueTable, { version: 1 }, {})

/** @param most  deliveries that one statement looks at. Only tests change it. */
export const deliveriesMadeDue = (most = MOST): Remaining => ({
  table: madeDueTable,
  part: (schema) => part(schema, most),
})
