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
import { whenErased } from '../transaction/erased.ts'
import { atLeast, insert, perform, projection, removeOfTransaction, table, update } from '../engine/definition.ts'
import type { Changes, Operation } from '../engine/definition.ts'
import { ofRule, ofUser, positionOf } from './made-due.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
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
    /** Position of the event that set the due time. */
    set_at: 'bigint',
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
    set_at: 'bigint',
  },
  sql: (schema) => `INSERT INTO ${schema}.delivery AS t
      (transaction_id, rule_id, user_id, status, attempt, round_base, lane, due_at, first_due_at, captured_at, set_at)
    SELECT v.transaction_id, v.rule_id, captured.user_id, 'open', 0, 0, v.lane, v.due_at, v.due_at, captured.created_at, v.set_at
      FROM v JOIN ${schema}.transaction captured ON captured.id = v.transaction_id
    ON CONFLICT (transaction_id, rule_id) DO UPDATE SET status = 'open', round_base = t.attempt, lane = excluded.lane,
      due_at = excluded.due_at, first_due_at = excluded.first_due_at, set_at = excluded.set_at`,
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

/** A manual retry of a pending transaction. It names deliveries that have had an attempt. Schedules and attempt numbers continue. */
const hurry: Operation = {
  name: 'hurry_deliveries',
  values: { transaction_id: 'bigint', rule_id: 'bigint', lane: 'text', due_at: 'timestamptz', set_at: 'bigint' },
  sql: (schema) => `UPDATE ${schema}.delivery t SET due_at = v.due_at, lane = v.lane, set_at = v.set_at FROM v
    WHERE t.transaction_id = v.transaction_id AND t.rule_id = v.rule_id AND t.status = 'open'`,
  acrossStreams: false,
}

const removeDeliveries = removeOfTransaction(deliveryTable)

const leftToTheLog = (at: string): string => new Date(Date.parse(at) + LEFT_TO_THE_LOG_MS).toISOString()

const opened = (
  transaction_id: number,
  rules: readonly number[],
  how: { lane: 'first' | 'manual' | 'bulk'; due_at: string; set_at: string },
) =>
  perform(
    open,
    [...new Set(rules)].map((rule_id) => ({ transaction_id, rule_id, ...how })),
  )

const madeDueBy = (event: KnownEvent<'RuleChanged' | 'RuleDeleted'>, which: 'retries' | 'all') =>
  perform(ofRule, [{ position: positionOf(event), rule_id: event.data.rule_id, which, due_at: event.metadata.at }])

/**
 * An attempt that is neither the end of the delivery nor has a next time was recorded late. It counts, and changes
 * nothing else.
 */
const afterAttempt = (attempted: TransactionEventData['WebhookAttempted'], set_at: string): Changes => {
  const attempt = atLeast(attempted.attempt)
  if (attempted.outcome === 'delivered') return { attempt, status: 'succeeded', due_at: null, lane: null }
  if (attempted.outcome === 'exhausted') return { attempt, status: 'failed', due_at: null, lane: null }
  // Only an open delivery receives a next time: the decision was made at exactly this position of the stream.
  return attempted.next_attempt_at === null
    ? { attempt }
    : { attempt, due_at: attempted.next_attempt_at, lane: 'retry', set_at }
}

export const delivery = projection(
  deliveryTable,
  { version: 5, operations: [open, endFailed, hurry, ofRule, ofUser, removeDeliveries], goesWithStreams: true },
  {
    TransactionCaptured: ({ data: { transaction_id, user_id, rules, created_at }, checkpoint }) => {
      const due_at = leftToTheLog(created_at)
      const set_at = positionOf({ checkpoint })
      return [...new Set(rules)].map(
        (rule_id) =>
        insert(deliveryTable, {
          transaction_id, rule_id, user_id, status: 'open', attempt: 0, round_base: 0, lane: 'first', due_at,
          first_due_at: due_at, captured_at: created_at, set_at,
        }), // prettier-ignore
      )
    },
    TransactionCompleted: (event) =>
      opened(event.data.transaction_id, event.data.rules, {
        lane: 'first',
        due_at: leftToTheLog(event.metadata.at),
        set_at: positionOf(event),
      }),
    WebhookRetryRequested: ({ data: { transaction_id, rules, by, due_now }, metadata, checkpoint }) => {
      const how = { lane: by, due_at: metadata.at, set_at: positionOf({ checkpoint }) }
      return due_now
        ? perform(
            hurry,
            rules.map((rule_id) => ({ transaction_id, rule_id, ...how })),
          )
        : [perform(endFailed, [{ transaction_id }]), opened(transaction_id, rules, how)]
    },
    WebhookAttempted: (event) => {
      const { transaction_id, rule_id } = event.data
      return update(deliveryTable, { transaction_id, rule_id }, afterAttempt(event.data, positionOf(event)))
    },
    DeliveryEnded: ({ data: { transaction_id, rule_id, reason } }) =>
      update(
        deliveryTable,
        { transaction_id, rule_id },
        { status: reason === 'gone' ? 'failed' : 'ended', due_at: null, lane: null },
      ),
    ...whenErased((transaction_id) => perform(removeDeliveries, [{ transaction_id }])),
    // The reason of a failure may be gone when the rule has a new url or is switched on.
    RuleChanged: (event) =>
      event.data.url !== undefined || event.data.is_active === 1 ? madeDueBy(event, 'retries') : [],
    AccountUnlocked: (event) =>
      perform(ofUser, [
        { position: positionOf(event), user_id: event.data.user_id, which: 'waiting', due_at: event.metadata.at },
      ]),
    // The worker that takes a delivery finds no rule and ends it.
    RuleDeleted: (event) => madeDueBy(event, 'all'),
  },
)
