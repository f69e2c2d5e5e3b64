// Tests: tests/integration/delivery/queue.test.ts
/**
 * The delivery queue: one row per transaction and rule. A row has the status, the number of the last attempt and the
 * time at which the next attempt is due.
 *
 * A delivery has a second state machine: the fold of its transaction (`domain/transaction/transaction.ts`). That one
 * decides. The queue only says what is due. `tests/integration/projections/projector.test.ts` folds random histories
 * with both and compares every delivery.
 *
 * A first attempt becomes due here only after a delay. Until then the log makes it, within milliseconds. The queue
 * catches the attempts that the log loses. A delivery over its owner's quota is due later, and is not given to the log
 * (`projections/quota/projection.ts`).
 */
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import { atLeast, insert, perform, projection, removeOfTransaction, table, update } from '../engine/definition.ts'
import type { Changes, Operation } from '../engine/definition.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'

const deliveryTable = table(
  'delivery',
  {
    transaction_id: 'bigint',
    rule_id: 'bigint',
    user_id: 'bigint',
    /** `open`, `succeeded`, `failed` or `ended` */
    status: 'text',
    /** Number of the last attempt, 0 before the first. */
    attempt: 'integer',
    /** Number of the attempt after which the current schedule began. */
    round_base: 'integer',
    /** `first`, `retry`, `manual` or `bulk`; null if nothing is left to do. */
    lane: 'text',
    /** null if nothing is left to do. */
    due_at: 'timestamptz',
    /** The first due time of the current schedule. */
    first_due_at: 'timestamptz',
    captured_at: 'timestamptz',
  },
  {
    key: ['transaction_id', 'rule_id'],
    indexes: [
      // Finds due rows lane by lane. A lane without room is skipped at no cost, however many of its rows are due.
      "(rule_id, lane, due_at) WHERE status = 'open'",
      // Finds the next delivery of an ordered rule.
      "(rule_id, captured_at, transaction_id) WHERE status = 'open'",
      // Finds deliveries whose whole schedule has passed, among those that failed before. Only these are out of order
      // in the index above.
      "(rule_id, first_due_at) WHERE status = 'open' AND lane = 'retry'",
    ],
    // Finds what is due, whatever its rule.
    addedIndexes: ["(lane, due_at, rule_id) WHERE status = 'open'"],
  },
)

/**
 * Opens or reopens deliveries. The schedule starts again; the attempt numbers continue. Deliveries of a deleted
 * transaction stay removed.
 */
const open: Operation = {
  name: 'open_delivery',
  values: {
    transaction_id: 'bigint',
    rule_id: 'bigint',
    lane: 'text',
    due_at: 'timestamptz',
  },
  sql: (schema) => `INSERT INTO ${schema}.delivery AS t
      (transaction_id, rule_id, user_id, status, attempt, round_base, lane, due_at, first_due_at, captured_at)
    SELECT v.transaction_id, v.rule_id, captured.user_id, 'open', 0, 0, v.lane, v.due_at, v.due_at, captured.created_at
      FROM v JOIN ${schema}.transaction captured ON captured.id = v.transaction_id
    ON CONFLICT (transaction_id, rule_id) DO UPDATE SET status = 'open', round_base = t.attempt, lane = excluded.lane,
      due_at = excluded.due_at, first_due_at = excluded.first_due_at`,
  acrossStreams: false,
}

/** A manual retry names every failed delivery that can be retried. Nothing waits any longer for the other failed ones. */
const endFailed: Operation = {
  name: 'end_failed_deliveries',
  values: { transaction_id: 'bigint' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET status = 'ended' FROM v
    WHERE t.transaction_id = v.transaction_id AND t.status = 'failed'`,
  acrossStreams: false,
}

/**
 * The deliveries of a deleted rule are due at once. The worker that takes such a row finds no rule and ends the
 * delivery.
 */
const dueNow: Operation = {
  name: 'deliveries_due_now',
  values: { rule_id: 'bigint', due_at: 'timestamptz' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET due_at = v.due_at FROM v
    WHERE t.rule_id = v.rule_id AND t.status = 'open'`,
  acrossStreams: true,
}

/**
 * Retries do not wait any longer once their rule has a new url or is switched on: the reason of the failure may be gone. A delivery over
 * the quota has had no attempt, and keeps its time.
 */
const retriesDueNow: Operation = {
  name: 'retries_due_now',
  values: { rule_id: 'bigint', due_at: 'timestamptz' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET due_at = v.due_at FROM v
    WHERE t.rule_id = v.rule_id AND t.status = 'open' AND t.lane = 'retry' AND t.attempt > 0 AND t.due_at > v.due_at`,
  acrossStreams: true,
}

/** A retry by hand of a pending transaction. It names deliveries that have had an attempt. Schedules and attempt numbers continue. */
const hurry: Operation = {
  name: 'hurry_deliveries',
  values: { transaction_id: 'bigint', rule_id: 'bigint', lane: 'text', due_at: 'timestamptz' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET due_at = v.due_at, lane = v.lane FROM v
    WHERE t.transaction_id = v.transaction_id AND t.rule_id = v.rule_id AND t.status = 'open'`,
  acrossStreams: false,
}

/** What waited while its account was locked is due once it is unlocked. A delivery over the quota keeps its time. */
const unlockedDueNow: Operation = {
  name: 'deliveries_of_unlocked_due_now',
  values: { user_id: 'bigint', due_at: 'timestamptz' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET due_at = v.due_at FROM v, ${schema}.rule r
    WHERE r.user_id = v.user_id AND t.rule_id = r.rule_id AND t.status = 'open' AND t.due_at > v.due_at
      AND (t.lane <> 'retry' OR t.attempt > 0)`,
  acrossStreams: true,
}

const removeDeliveries = removeOfTransaction(deliveryTable)

const leftToTheLog = (at: string): string => new Date(Date.parse(at) + LEFT_TO_THE_LOG_MS).toISOString()

const opened = (transaction_id: number, rules: readonly number[], lane: 'first' | 'manual' | 'bulk', due_at: string) =>
  perform(
    open,
    [...new Set(rules)].map((rule_id) => ({ transaction_id, rule_id, lane, due_at })),
  )

/**
 * An attempt that is neither the end of the delivery nor has a next time was recorded late. It counts, and changes
 * nothing else.
 */
const afterAttempt = (attempted: TransactionEventData['WebhookAttempted']): Changes => {
  const attempt = atLeast(attempted.attempt)
  if (attempted.outcome === 'delivered') return { attempt, status: 'succeeded', due_at: null, lane: null }
  if (attempted.outcome === 'exhausted') return { attempt, status: 'failed', due_at: null, lane: null }
  // Only an open delivery receives a next time: the decision was made at exactly this position of the stream.
  return attempted.next_attempt_at === null
    ? { attempt }
    : { attempt, due_at: attempted.next_attempt_at, lane: 'retry' }
}

export const delivery = projection(
  deliveryTable,
  { version: 4, operations: [open, endFailed, dueNow, retriesDueNow, hurry, unlockedDueNow, removeDeliveries] },
  {
    TransactionCaptured: ({ data: { transaction_id, user_id, rules, created_at } }) => {
      const due_at = leftToTheLog(created_at)
      return [...new Set(rules)].map(
        (rule_id) =>
        insert(deliveryTable, {
          transaction_id, rule_id, user_id, status: 'open', attempt: 0, round_base: 0, lane: 'first', due_at,
          first_due_at: due_at, captured_at: created_at,
        }), // prettier-ignore
      )
    },
    TransactionCompleted: ({ data: { transaction_id, rules }, metadata }) =>
      opened(transaction_id, rules, 'first', leftToTheLog(metadata.at)),
    WebhookRetryRequested: ({ data: { transaction_id, rules, by, due_now }, metadata }) =>
      due_now
        ? perform(
            hurry,
            rules.map((rule_id) => ({ transaction_id, rule_id, lane: by, due_at: metadata.at })),
          )
        : [perform(endFailed, [{ transaction_id }]), opened(transaction_id, rules, by, metadata.at)],
    WebhookAttempted: ({ data }) =>
      update(deliveryTable, { transaction_id: data.transaction_id, rule_id: data.rule_id }, afterAttempt(data)),
    DeliveryEnded: ({ data: { transaction_id, rule_id, reason } }) =>
      update(
        deliveryTable,
        { transaction_id, rule_id },
        { status: reason === 'gone' ? 'failed' : 'ended', due_at: null, lane: null },
      ),
    TransactionDeleted: ({ data: { transaction_id } }) => perform(removeDeliveries, [{ transaction_id }]),
    RuleChanged: ({ data: { rule_id, url, is_active }, metadata }) =>
      url !== undefined || is_active === 1 ? perform(retriesDueNow, [{ rule_id, due_at: metadata.at }]) : [],
    AccountUnlocked: ({ data: { user_id }, metadata }) => perform(unlockedDueNow, [{ user_id, due_at: metadata.at }]),
    RuleDeleted: ({ data: { rule_id }, metadata }) => perform(dueNow, [{ rule_id, due_at: metadata.at }]),
  },
)
