/**
 * Records the results of calls. A single result is appended at once. Results that arrive during an append, and shortly
 * after it, form the next group: one append for all of them, in which each transaction is a unit at its known revision.
 * So under load the results share an append and its work in the read models. Only an ordered rule waits for a result.
 * On a conflict, the stream is read and the results are decided again. While the store is down, the group waits and is
 * retried with the same event ids. Others wait behind it in memory, and `isBehind` stops new claims.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/event.ts'
import { UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, Ids } from '../../domain/ports.ts'
import {
  endDelivery,
  recordAttempt,
  type AttemptResult,
  type TransactionFact,
} from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { evolveAll, type Transaction } from '../../domain/transaction/transaction.ts'
import { Gather } from '../support/gather.ts'
import { retry } from '../support/retry.ts'
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
  recorded?: (
    attempted: Extract<TransactionFact, { type: 'WebhookAttempted' }>['data'] | null,
    checkpoint: Checkpoint | null,
  ) => void
}

interface Waiting {
  outcome: Outcome
  attempt_id: number
  random: number
}

interface Group {
  tracked: Tracked
  waiting: Waiting[]
  facts: readonly TransactionFact[]
  /** The transaction after these facts. */
  state: Transaction
  events: NewEvent[]
}

/**
 * Results in one append. In a burst, a few large appends leave more capacity for the calls in the servers and in this
 * process. Even if each result has the longest response, and JSON escapes all its characters, they are smaller than the
 * 16 MiB that a store accepts at once.
 */
const MOST_IN_GROUP = 512

/** This many results are appended at once, however little time has passed. */
const ENOUGH = 256

/**
 * Milliseconds from the start of one append to the next, if nothing is urgent. Results that arrive in between are
 * appended together.
 */
const APART_MS = 20

/** Results that may wait before new claims stop. */
const BEHIND = 2_000

/** Pauses between attempts while the store is down. */
const BACK_OFF = { firstMs: 250, mostMs: 250 }

export interface RecorderOptions {
  store: EventStore
  ids: Ids
  tracked: TrackedTransactions
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** From 0 up to 1. */
  random: () => number
  /** Called once for failures that are not an outage of the store, until it answers. An outage is reported elsewhere. */
  onError: (error: unknown) => void
}

export class Recorder {
  readonly #options: RecorderOptions
  readonly #gather: Gather<Waiting[]>
  #waiting: Waiting[] = []
  /** How many of them another delivery waits for. */
  #awaited = 0
  #isFailing = false
  #isReported = false
  readonly #givenUp = new AbortController()
  #underWay = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#gather = new Gather({
      apartMs: APART_MS,
      isEnough: () => this.#waiting.length >= ENOUGH || this.#awaited > 0,
      take: () => this.#take(),
      handle: (taken) => this.#record(taken),
    })
  }

  /** Results not yet recorded. */
  get backlog(): number {
    return this.#waiting.length + this.#underWay
  }

  /** Whether new claims should wait. */
  get isBehind(): boolean {
    return this.#isFailing || this.backlog > BEHIND
  }

  /** The transaction is held by the caller's claim until this is recorded. */
  submit(outcome: Outcome): void {
    this.#waiting.push({ outcome, attempt_id: 0, random: this.#options.random() })
    if (outcome.isAwaited) this.#awaited++
    this.#gather.added()
  }

  /** Resolves when everything that was submitted is recorded, or after `giveUp`. */
  end(): Promise<void> {
    return this.#gather.flush()
  }

  /** Ends the attempts to reach the store. */
  giveUp(): void {
    this.#givenUp.abort()
  }

  #take(): Waiting[] | null {
    if (this.#givenUp.signal.aborted || this.#waiting.length === 0) return null
    const taken = this.#waiting.splice(0, MOST_IN_GROUP)
    for (const { outcome } of taken) if (outcome.isAwaited) this.#awaited--
    return taken
  }

  async #record(taken: readonly Waiting[]): Promise<void> {
    this.#underWay = taken.length
    try {
      await this.#number(taken)
      let groups = this.#decide(byTransaction(taken, this.#options.tracked))
      while (groups.length > 0) groups = await this.#append(groups)
    } catch (error) {
      if (!this.#givenUp.signal.aborted) throw error
    } finally {
      this.#underWay = 0
    }
  }

  async #number(taken: readonly Waiting[]): Promise<void> {
    const calls = taken.filter(({ outcome }) => outcome.result)
    const ids = await this.#untilItAnswers(() => this.#options.ids.next(calls.length))
    calls.forEach((call, index) => (call.attempt_id = ids[index]!))
  }

  #decide(groups: readonly Pick<Group, 'tracked' | 'waiting'>[]): Group[] {
    const decided = groups.map(({ tracked, waiting }) => {
      const { facts, state } = decideAll(tracked, waiting, this.#options.schedule)
      const events = waiting[0] ? stamp(facts, occasionOf(tracked, waiting[0])) : []
      return { tracked, waiting, facts, state, events }
    })
    for (const group of decided) if (group.events.length === 0) this.#done(group)
    return decided.filter((group) => group.events.length > 0)
  }

  /** Appends all groups at once. @returns the groups that must be appended again, decided anew */
  async #append(groups: readonly Group[]): Promise<Group[]> {
    const { store, tracked: all } = this.#options
    const units = groups.map(({ tracked, events }) => [
      { stream: transactionStream(tracked.transaction_id), expectedRevision: tracked.revision, events },
    ])
    const results = await this.#untilItAnswers(() => store.append(units))
    const conflicts: Group[] = []
    groups.forEach((group, index) => {
      const result = results[index]
      if (!result?.ok) return conflicts.push(group)
      all.advance(group.tracked, group.state, group.facts.length)
      return this.#done(group, result.checkpoint)
    })
    if (conflicts.length === 0) return []
    const slices = conflicts.map(({ tracked }) => ({ stream: transactionStream(tracked.transaction_id) }))
    const streams = await this.#untilItAnswers(() => store.read(slices))
    return this.#decide(conflicts.filter((group, index) => this.#reread(group, streams[index] ?? [])))
  }

  /**
   * @returns false if the stream has an event that cannot be read. Then the result is not recorded: after the operator has skipped the
   * event, the call is made again.
   */
  #reread(group: Group, events: readonly StoredEvent[]): boolean {
    try {
      this.#options.tracked.reread(group.tracked, events)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      this.#done({ ...group, facts: [] })
      return false
    }
  }

  #done({ waiting, facts }: Group, checkpoint: Checkpoint | null = null): void {
    for (const { outcome, attempt_id } of waiting) {
      const attempted = facts.find((fact) => fact.type === 'WebhookAttempted' && fact.data.attempt_id === attempt_id)
      this.#options.tracked.release(outcome)
      outcome.recorded?.(attempted?.type === 'WebhookAttempted' ? attempted.data : null, checkpoint)
    }
  }

  async #untilItAnswers<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { signal } = this.#givenUp
    const onFailure = (error: unknown): void => {
      this.#isFailing = true
      if (this.#isReported || error instanceof StoreUnavailable) return
      this.#isReported = true
      this.#options.onError(error)
    }
    const answer = await retry(ask, { signal, backOff: BACK_OFF, onFailure })
    if (signal.aborted) throw new Error('the result was not recorded: the worker ends')
    this.#isFailing = false
    this.#isReported = false
    return answer as Answer
  }
}

const byTransaction = (taken: readonly Waiting[], all: TrackedTransactions): Pick<Group, 'tracked' | 'waiting'>[] => {
  const groups = new Map<number, Pick<Group, 'tracked' | 'waiting'>>()
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

/** Decides a transaction's results in order. */
const decideAll = (
  tracked: Tracked,
  waiting: readonly Waiting[],
  schedule: readonly number[],
): { facts: TransactionFact[]; state: Transaction } => {
  const facts: TransactionFact[] = []
  let state = tracked.state
  for (const { outcome, attempt_id, random } of waiting) {
    const { result, rule_id, at, isLast = false } = outcome
    const decided = result
      ? recordAttempt(state, result, { attempt_id, at, schedule, random, isLast })
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
