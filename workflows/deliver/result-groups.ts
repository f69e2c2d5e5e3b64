// Tests: tests/unit/workflows/deliver/recorder.test.ts
/** The results of calls that are recorded together: a group for each transaction, and the events that it results in. */
import type { NewEvent } from '../../domain/event.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import { endDelivery, recordAttempt, type AttemptResult } from '../../domain/transaction/decide.ts'
import type { TransactionEvent, TransactionEventData } from '../../domain/transaction/events.ts'
import { evolveAll, type Transaction } from '../../domain/transaction/transaction.ts'
import { stamp } from '../support/stamp.ts'
import type { Tracked, TrackedTransactions } from './tracked.ts'

export interface Outcome {
  transaction_id: number
  /** When the result came. */
  at: Date
  /** The result of a call; null for a delivery that ends because its rule no longer exists. */
  result: AttemptResult | null
  rule_id: number
  /** No further attempt follows. */
  isLast?: boolean
  /** The next delivery of an ordered rule waits for it. */
  isAwaited?: boolean
  /** Called after it is recorded, with its position; null if the transaction was deleted meanwhile. */
  recorded?: (attempted: TransactionEventData['WebhookAttempted'] | null, checkpoint: Checkpoint | null) => void
}

export interface Waiting {
  outcome: Outcome
  attempt_id: number
  random: number
  /** The call failed, and its rule has another url now or may not be called. */
  isOutdated: boolean
}

/** The results of one transaction. */
export interface TransactionResults {
  tracked: Tracked
  waiting: Waiting[]
}

export interface Group extends TransactionResults {
  facts: readonly TransactionEvent[]
  /** The transaction after these facts. */
  state: Transaction
  events: NewEvent[]
}

/** @throws {Error} for a transaction that no claim holds */
export const byTransaction = (taken: readonly Waiting[], all: TrackedTransactions): TransactionResults[] => {
  const groups = new Map<number, TransactionResults>()
  for (const each of taken) {
    const { transaction_id } = each.outcome
    const tracked = all.get(transaction_id)
    if (!tracked) throw new Error(`transaction ${transaction_id} has a result without a claim`)
    const group = groups.get(transaction_id) ?? { tracked, waiting: [] }
    group.waiting.push(each)
    groups.set(transaction_id, group)
  }
  return [...groups.values()]
}

/** @param schedule  seconds before each retry */
export const decideGroup = ({ tracked, waiting }: TransactionResults, schedule: readonly number[]): Group => {
  const { facts, state } = decideAll(tracked, waiting, schedule)
  const events = stamp(facts, occasionOf(tracked, waiting[0]!))
  return { tracked, waiting, facts, state, events }
}

/** Decides a transaction's results in order. */
const decideAll = (
  tracked: Tracked,
  waiting: readonly Waiting[],
  schedule: readonly number[],
): { facts: TransactionEvent[]; state: Transaction } => {
  const facts: TransactionEvent[] = []
  let state = tracked.state
  for (const { outcome, attempt_id, random, isOutdated } of waiting) {
    const { result, rule_id, at, isLast = false } = outcome
    const decided = result
      ? recordAttempt(state, result, { attempt_id, at, schedule, random, isLast, isOutdated })
      : endDelivery(state, rule_id, at)
    state = evolveAll(state, decided, at.toISOString())
    facts.push(...decided)
  }
  return { facts, state }
}

const occasionOf = ({ user_id, correlation_id }: Tracked, { outcome, attempt_id }: Waiting) => ({
  user_id,
  at: outcome.at,
  correlation_id,
  causation_id: attempt_id > 0 ? `attempt-${attempt_id}` : `rule-${outcome.rule_id}`,
})
