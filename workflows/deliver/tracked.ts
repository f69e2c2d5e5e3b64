// Tests: tests/unit/workflows/deliver/recorder.test.ts
/**
 * Transactions with calls under way in this process: their fold and its revision. They are held from the claim until
 * the last result is recorded, so that a result is appended at the known revision without a read.
 */
import {
  foldTransaction,
  type Delivery,
  type LiveTransaction,
  type Transaction,
} from '../../domain/transaction/transaction.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type LogEntry } from '../../domain/ports.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import type { Claimed } from './queue.ts'

export interface Tracked {
  transaction_id: number
  user_id: number
  /** The trace of the capture. */
  correlation_id: string
  state: Transaction
  revision: number
  /**
   * Attempts that are claimed and not yet recorded, by rule. After a takeover, the next attempt may start before the
   * first one ends.
   */
  holds: Map<number, number>
}

/** A claim that holds its transaction here. */
interface HeldBy {
  transaction_id: number
  rule_id: number
}

const deliveryOf = ({ status, attempt, round_base, due_at }: Claimed['deliveries'][number]): Delivery => {
  switch (status) {
    case 'open':
      return { status, attempt, round_base, due_at: due_at ?? '' }
    case 'failed':
    case 'succeeded':
    case 'ended':
      return { status, attempt }
  }
}

/** A transaction as the read models have it. It is right at a revision if an append at that revision succeeds. */
const fromReadModels = ({ transaction, deliveries }: Claimed): LiveTransaction => {
  const { id, user_id, created_at, bank_code, transaction_type, amount, account_number, content } = transaction
  const { description, order_id, prefix, already_run_of, webhook_status } = transaction
  return {
    phase: 'live', transaction_id: id, user_id, captured_at: created_at, bank_code, transaction_type, amount,
    account_number, content, description, order_id, prefix, already_run_of, webhook_status,
    // A held transaction has no call to make.
    held: null,
    // Only manual retries count them. They read all events.
    retries: null,
    deliveries: new Map(deliveries.map((delivery) => [delivery.rule_id, deliveryOf(delivery)])),
  } // prettier-ignore
}

const correlationOf = ([captured]: readonly StoredEvent[]): string | null => captured?.metadata.correlation_id ?? null

export class TrackedTransactions {
  readonly #tracked = new Map<number, Tracked>()

  /** The deliveries that are held. */
  get held(): HeldBy[] {
    return [...this.#tracked.values()].flatMap(({ transaction_id, holds }) =>
      [...holds.keys()].map((rule_id) => ({ transaction_id, rule_id })),
    )
  }

  get(transactionId: number): Tracked | undefined {
    return this.#tracked.get(transactionId)
  }

  /** Takes the state from a log entry and the read models. If anything was appended since, the append detects it. */
  holdAt(claimed: Claimed, { revision, correlation_id }: Pick<LogEntry, 'revision' | 'correlation_id'>): void {
    const known = this.#tracked.get(claimed.transaction_id)
    // A transaction may have many claims, and its state has all of its deliveries. So it is made for the first claim only.
    const state = known && known.revision >= revision ? known.state : fromReadModels(claimed)
    this.#hold(claimed, state, revision, correlation_id)
  }

  /** Takes the state from the stream itself. @param state  its fold, which claims of one transaction share */
  holdRead(
    claimed: HeldBy & { user_id: number },
    events: readonly StoredEvent[],
    state = foldTransaction(events),
  ): void {
    this.#hold(claimed, state, events.at(-1)?.revision ?? NO_STREAM, correlationOf(events))
  }

  /** Takes the current stream after a conflict has shown that it has more events. */
  reread(tracked: Tracked, events: readonly StoredEvent[]): void {
    tracked.state = foldTransaction(events)
    tracked.revision = events.at(-1)?.revision ?? NO_STREAM
  }

  /** Moves on by the number of appended facts, to the state after them. */
  advance(tracked: Tracked, state: Transaction, facts: number): void {
    tracked.state = state
    tracked.revision += facts
  }

  release({ transaction_id, rule_id }: HeldBy): void {
    const tracked = this.#tracked.get(transaction_id)
    if (!tracked) return
    const left = (tracked.holds.get(rule_id) ?? 0) - 1
    if (left > 0) tracked.holds.set(rule_id, left)
    else tracked.holds.delete(rule_id)
    if (tracked.holds.size === 0) this.#tracked.delete(transaction_id)
  }

  #hold(
    { transaction_id, rule_id, user_id }: HeldBy & { user_id: number },
    state: Transaction,
    revision: number,
    correlationId: string | null,
  ): void {
    const tracked = this.#tracked.get(transaction_id)
    if (!tracked) {
      const holds = new Map([[rule_id, 1]])
      const correlation_id = correlationId ?? transactionStream(transaction_id)
      this.#tracked.set(transaction_id, { transaction_id, user_id, correlation_id, state, revision, holds })
      return
    }
    tracked.holds.set(rule_id, (tracked.holds.get(rule_id) ?? 0) + 1)
    if (tracked.revision < revision) Object.assign(tracked, { state, revision })
  }
}
