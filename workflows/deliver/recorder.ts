/**
 * Records the results of calls. A single result is appended at once. Results that arrive during an append, and shortly
 * after it, form the next group: one append for all of them, in which each transaction is a unit at its known revision.
 * So under load the results share an append and its work in the read models. Only an ordered rule waits for a result.
 * On a conflict, the stream is read and the results are decided again. While the store is down, the group waits and is
 * retried with the same event ids. Others wait behind it in memory, and `isBehind` stops new claims.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import { UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, Ids } from '../../domain/ports.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { Gather } from '../support/gather.ts'
import { retry } from '../support/retry.ts'
import { byTransaction, decideGroup, type Group, type Outcome, type Undecided, type Waiting } from './result-groups.ts'
import type { TrackedTransactions } from './tracked.ts'

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
  const givenUp = new AbortController()
  const { untilItAnswers, isFailing } = openPersistence(givenUp.signal, options.onError)
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
  const isBehind = (): boolean => isFailing() || backlog() > BEHIND

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

  /** @returns the groups that have events to append */
  const decide = (groups: readonly Undecided[]): Group[] => {
    const decided = groups.map((group) => decideGroup(group, options.schedule))
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

  return { backlog, isBehind, submit, end, giveUp }
}

export type Recorder = ReturnType<typeof openRecorder>

/** Asks the store until it answers. @param givenUp  ends the attempts, and what waits for them throws */
const openPersistence = (givenUp: AbortSignal, onError: (error: unknown) => void) => {
  let isFailing = false
  let isReported = false

  const onFailure = (error: unknown): void => {
    isFailing = true
    if (isReported || error instanceof StoreUnavailable) return
    isReported = true
    onError(error)
  }

  const untilItAnswers = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const answer = await retry(ask, { signal: givenUp, backOff: BACK_OFF, onFailure })
    if (givenUp.aborted) throw new Error('the result was not recorded: the worker ends')
    isFailing = false
    isReported = false
    return answer as Answer
  }

  return { untilItAnswers, isFailing: () => isFailing }
}
