// Tests: tests/integration/projections/quota.test.ts
/**
 * Counts how many transactions of each Vietnamese month count in a user's quota (interface, section 8). They are
 * counted in the order of the log, with the plan as it was at that position. So the count is right with any number of
 * processes, and the same after a rebuild. The first calls of a transaction over the quota are delayed and go into the
 * lane of retries, so that they take no room from first attempts within the quota. A transaction over the quota that gets
 * its rules later, by a copy that brings the order id or by the confirmation of its bank account, is remembered until then, so
 * that its first calls wait as long.
 *
 * A deleted transaction stays counted. If its capture was erased from the store, a rebuild counts it at its deletion.
 * So a transaction in between may be judged differently against the quota, as long as it still waits for its first
 * call.
 */
import type { KnownEvent } from '../../domain/catalogue.ts'
import { PLAN_LIMITS } from '../../domain/account/plan.ts'
import { vietnamMonth } from '../../domain/time.ts'
import { perform, projection, remove, table, type Operation, type Projection } from '../engine/definition.ts'
import { whenErased } from '../transaction/erased.ts'

const quotaTable = table(
  'quota',
  {
    user_id: 'bigint',
    /** `2026-11` */
    month: 'text',
    transactions: 'integer',
  },
  { key: ['user_id', 'month'], indexes: ['(month)'] },
)

/** The plan at the current position of the count. It changes at its place among the transactions. */
const quotaPlanTable = table(
  'quota_plan',
  { user_id: 'bigint', plan: 'text', expires_at: 'timestamptz' },
  { key: ['user_id'] },
)

/** Transactions over the quota without a rule. */
const overQuotaTable = table(
  'over_quota',
  {
    transaction_id: 'bigint',
    user_id: 'bigint',
    /** When its first calls are due. */
    late_due_at: 'timestamptz',
  },
  { key: ['transaction_id'], bySetting: { late_due_at: 'OVER_QUOTA_DELAY' } },
)

/** The limit of transactions per month, by plan. A plan that is not listed is unlimited. */
const LIMITS_SQL = `(VALUES ${Object.entries(PLAN_LIMITS)
  .flatMap(([plan, { transactions }]) => (transactions === null ? [] : [`('${plan}', ${transactions})`]))
  .join(', ')}) AS limits (plan, most)`

/** SQL for the plan of a row at a time. An expired plan counts as `Free`. */
export const planAt = (row: string, at: string): string =>
  `CASE WHEN ${row}.expires_at <= ${at} THEN 'Free' ELSE coalesce(${row}.plan, 'Free') END`

/** SQL for the limit of a plan; null if it is unlimited. */
export const mostOf = (plan: string): string => `(SELECT most FROM ${LIMITS_SQL} WHERE limits.plan = ${plan})`

/**
 * The rows are transactions, with `plan` changes of the plan, and with neither `plan` nor `month` transactions that
 * get their rules later, all in order. Each user's month is counted as a whole. Its transactions are examined one by one
 * only if some of them may be over the quota. Their deliveries are found by the whole key, and the conditions on them are
 * checked while they are updated, not before. Any other form would lead the planner, whose statistics are from when these
 * tables were empty, to scan all open deliveries.
 *
 * A later event of the batch may have ended the account. Then nothing is counted. It may have made a first call due at
 * once. That counts if its rule was deleted, so that the delivery ends. It does not count if its account was unlocked.
 */
const count: Operation = {
  name: 'count_in_quota',
  values: {
    user_id: 'bigint',
    transaction_id: 'bigint',
    month: 'text',
    at: 'timestamptz',
    rules: 'text[]',
    /** When its first calls are due if it is over the quota. */
    late_due_at: 'timestamptz',
    plan: 'text',
    expires_at: 'timestamptz',
  },
  sql: (schema) => `, given AS MATERIALIZED (
      SELECT v.*, row_number() OVER () AS n FROM v
      WHERE (SELECT a.user_id FROM ${schema}.account a WHERE a.user_id = v.user_id) IS NOT NULL
    ),
    plans AS MATERIALIZED (SELECT user_id, plan, expires_at, n FROM given WHERE plan IS NOT NULL),
    counted AS MATERIALIZED (
      SELECT user_id, month, count(*) AS transactions, max(at) AS latest FROM given WHERE month IS NOT NULL
      GROUP BY user_id, month
    ), full_months AS MATERIALIZED (
      SELECT c.user_id, c.month, coalesce(before.transactions, 0) AS before, q.plan, q.expires_at
      FROM counted c
        LEFT JOIN ${schema}.quota_plan q ON q.user_id = c.user_id
        LEFT JOIN ${schema}.quota before ON before.user_id = c.user_id AND before.month = c.month
      WHERE c.user_id IN (SELECT user_id FROM plans)
        OR coalesce(before.transactions, 0) + c.transactions > ${mostOf(planAt('q', 'c.latest'))}
    ), placed AS (
      SELECT g.transaction_id, g.rules, g.late_due_at, g.at, g.n, g.user_id, f.plan, f.expires_at,
        f.before + row_number() OVER (PARTITION BY g.user_id, g.month ORDER BY g.n) AS place
      FROM full_months f JOIN given g ON g.user_id = f.user_id AND g.month = f.month
    ), late AS MATERIALIZED (
      SELECT p.transaction_id, p.user_id, p.rules, p.late_due_at
      FROM placed p
        CROSS JOIN LATERAL (
          (SELECT plan, expires_at FROM plans WHERE user_id = p.user_id AND n < p.n ORDER BY n DESC LIMIT 1)
          UNION ALL SELECT p.plan, p.expires_at LIMIT 1
        ) AS present
      WHERE p.place > ${mostOf(planAt('present', 'p.at'))}
    ), remembered AS (
      INSERT INTO ${schema}.over_quota (transaction_id, user_id, late_due_at)
        SELECT l.transaction_id, l.user_id, l.late_due_at FROM late l JOIN ${schema}.transaction t ON t.id = l.transaction_id
        WHERE l.rules = '{}'
      ON CONFLICT DO NOTHING
    ), put_off AS MATERIALIZED (
      SELECT transaction_id, unnest(rules::bigint[]) AS rule_id, late_due_at FROM late
      UNION ALL
      SELECT c.transaction_id, unnest(c.rules::bigint[]), greatest(coalesce(l.late_due_at, o.late_due_at), c.at)
      FROM given c
        LEFT JOIN late l ON l.transaction_id = c.transaction_id
        LEFT JOIN ${schema}.over_quota o ON o.transaction_id = c.transaction_id
      WHERE c.month IS NULL AND c.plan IS NULL AND coalesce(l.late_due_at, o.late_due_at) IS NOT NULL
    ), kept AS (
      INSERT INTO ${schema}.quota AS t (user_id, month, transactions)
        SELECT user_id, month, transactions FROM counted
      ON CONFLICT (user_id, month) DO UPDATE SET transactions = t.transactions + excluded.transactions
    ), planned AS (
      INSERT INTO ${schema}.quota_plan (user_id, plan, expires_at)
        SELECT DISTINCT ON (user_id) user_id, plan, expires_at FROM plans ORDER BY user_id, n DESC
      ON CONFLICT (user_id) DO UPDATE SET plan = excluded.plan, expires_at = excluded.expires_at
    )
    UPDATE ${schema}.delivery d
    SET lane = CASE WHEN d.lane IN ('first', 'bulk') AND d.attempt = 0 THEN 'retry' ELSE d.lane END,
      due_at = CASE WHEN d.lane IN ('first', 'bulk') AND d.attempt = 0
          AND (d.due_at = d.first_due_at OR EXISTS (SELECT FROM ${schema}.rule r WHERE r.rule_id = d.rule_id))
        THEN p.late_due_at ELSE d.due_at END
    FROM put_off p WHERE d.transaction_id = p.transaction_id AND d.rule_id = p.rule_id`,
  acrossStreams: true,
  last: true,
}

/** Counts a deleted transaction whose capture was erased before these read models were built, unless its account has ended. */
const countErased: Operation = {
  name: 'count_erased_in_quota',
  values: { user_id: 'bigint', transaction_id: 'bigint', month: 'text' },
  sql: (schema) => `INSERT INTO ${schema}.quota AS t (user_id, month, transactions)
    SELECT v.user_id, v.month, count(*) FROM v
      WHERE NOT EXISTS (SELECT FROM ${schema}.transaction known WHERE known.id = v.transaction_id)
        AND EXISTS (SELECT FROM ${schema}.account a WHERE a.user_id = v.user_id)
      GROUP BY v.user_id, v.month
    ON CONFLICT (user_id, month) DO UPDATE SET transactions = t.transactions + excluded.transactions`,
  acrossStreams: false,
}

const later = (at: string, milliseconds: number): string => new Date(Date.parse(at) + milliseconds).toISOString()

const givenRules = ({ data, metadata }: KnownEvent<'TransactionCompleted' | 'WebhookRetryRequested'>) => {
  const { transaction_id, rules } = data
  const { user_id, at } = metadata
  return rules.length === 0 ? [] : perform(count, [{ user_id, transaction_id, at, rules: rules.map(String) }])
}

/** @param overQuotaDelay  seconds by which the first calls over the quota are delayed */
export const quota = (overQuotaDelay: number): Projection =>
  projection(
    quotaTable,
    { version: 4, operations: [count, countErased] },
    {
      TransactionCaptured: ({ data: { user_id, transaction_id, already_run_of, rules, created_at } }) =>
        already_run_of !== null
          ? []
          : perform(count, [
              {
                user_id,
                transaction_id,
                month: vietnamMonth(new Date(created_at)),
                at: created_at,
                rules: rules.map(String),
                late_due_at: later(created_at, overQuotaDelay * 1000),
              },
            ]),
      TransactionCompleted: (event) => givenRules(event),
      // A manual retry is made at once.
      WebhookRetryRequested: (event) => (event.data.released ? givenRules(event) : []),
      PlanChanged: ({ data: { user_id, plan, expires_at } }) => perform(count, [{ user_id, plan, expires_at }]),
      TransactionDeleted: ({ data: { user_id, transaction_id, captured_at, counted } }) =>
        counted ? perform(countErased, [{ user_id, transaction_id, month: vietnamMonth(new Date(captured_at)) }]) : [],
    },
  )

export const quotaPlan = projection(quotaPlanTable, { version: 1 }, {})

export const overQuota = projection(
  overQuotaTable,
  { version: 1, goesWithStreams: true },
  whenErased((transaction_id) => remove(overQuotaTable, { transaction_id })),
)
