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

export const openRecorder = (options: RecorderOptions) => {
  const unrecorded: Waiting[] = []
  /** How many of them another delivery waits for. */
  let awaited = 0
  let isFailing = false
  let isReported = false
  const givenUp = new AbortController()
  let underWay = 0
  const gather: Gather<Waiting[]> = new Gather({
    apartMs: APART_MS,
    isEnough: () => unrecorded.length >= ENOUGH || awaited > 0,
    take: () => take(),
    handle: (taken) => record(taken),
  })

  /** Results not yet recorded. */
  const backlog = (): number => unrecorded.length + underWay

  /** Whether new claims should wait. */
  const isBehind = (): boolean => isFailing || backlog() > BEHIND

  /** The transaction is held by the caller's claim until this is recorded. */
  const submit = (outcome: Outcome): void => {
    unrecorded.push({ outcome, attempt_id: 0, random: options.random() })
    if (outcome.isAwaited) awaited++
    gather.added()
  }

  /** Resolves when everything that was submitted is recorded, or after `giveUp`. */
  const end = (): Promise<void> => gather.flush()

  /** Ends the attempts to reach the store. */
  const giveUp = (): void => {
    givenUp.abort()
  }

  const take = (): Waiting[] | null => {
    if (givenUp.signal.aborted || unrecorded.length === 0) return null
    const taken = unrecorded.splice(0, MOST_IN_GROUP)
    for (const { outcome } of taken) if (outcome.isAwaited) awaited--
    return taken
  }

  const record = async (taken: readonly Waiting[]): Promise<void> => {
    underWay = taken.length
    try {
      await number(taken)
      let groups = decide(byTransaction(taken, options.tracked))
      while (groups.length > 0) groups = await append(groups)
    } catch (error) {
      if (!givenUp.signal.aborted) throw error
    } finally {
      underWay = 0
    }
  }

  const number = async (taken: readonly Waiting[]): Promise<void> => {
    const calls = taken.filter(({ outcome }) => outcome.result)
    const ids = await untilItAnswers(() => options.ids.next(calls.length))
    calls.forEach((call, index) => (call.attempt_id = ids[index]!))
  }

  const decide = (groups: readonly Pick<Group, 'tracked' | 'waiting'>[]): Group[] => {
    const decided = groups.map(({ tracked, waiting }) => {
      const { facts, state } = decideAll(tracked, waiting, options.schedule)
      const events = waiting[0] ? stamp(facts, occasionOf(tracked, waiting[0])) : []
      return { tracked, waiting, facts, state, events }
    })
    for (const group of decided) if (group.events.length === 0) done(group)
    return decided.filter((group) => group.events.length > 0)
  }

  /** Appends all groups at once. @returns the groups that must be appended again, decided anew */
  const append = async (groups: readonly Group[]): Promise<Group[]> => {
    const { store, tracked: all } = options
    const units = groups.map(({ tracked, events }) => [
      { stream: transactionStream(tracked.transaction_id), expectedRevision: tracked.revision, events },
    ])
    const results = await untilItAnswers(() => store.append(units))
    const conflicts: Group[] = []
    groups.forEach((group, index) => {
      const result = results[index]
      if (!result?.ok) return conflicts.push(group)
      all.advance(group.tracked, group.state, group.facts.length)
      return done(group, result.checkpoint)
    })
    if (conflicts.length === 0) return []
    const slices = conflicts.map(({ tracked }) => ({ stream: transactionStream(tracked.transaction_id) }))
    const streams = await untilItAnswers(() => store.read(slices))
    return decide(conflicts.filter((group, index) => reread(group, streams[index] ?? [])))
  }

  /**
   * @returns false if the stream has an event that cannot be read. Then the result is not recorded: after the operator has skipped the
   * event, the call is made again.
   */
  const reread = (group: Group, events: readonly StoredEvent[]): boolean => {
    try {
      options.tracked.reread(group.tracked, events)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      done({ ...group, facts: [] })
      return false
    }
  }

  const done = ({ waiting, facts }: Group, checkpoint: Checkpoint | null = null): void => {
    for (const { outcome, attempt_id } of waiting) {
      const attempted = facts.find((fact) => fact.type === 'WebhookAttempted' && fact.data.attempt_id === attempt_id)
      options.tracked.release(outcome)
      outcome.recorded?.(attempted?.type === 'WebhookAttempted' ? attempted.data : null, checkpoint)
    }
  }

  const untilItAnswers = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const { signal } = givenUp
    const onFailure = (error: unknown): void => {
      isFailing = true
      if (isReported || error instanceof StoreUnavailable) return
      isReported = true
      options.onError(error)
    }
    const answer = await retry(ask, { signal, backOff: BACK_OFF, onFailure })
    if (signal.aborted) throw new Error('the result was not recorded: the worker ends')
    isFailing = false
    isReported = false
    return answer as Answer
  }

  return { backlog, isBehind, submit, end, giveUp }
}

export type Recorder = ReturnType<typeof openRecorder>

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
