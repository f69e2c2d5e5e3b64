// Tests: tests/unit/workflows/deliver/recorder.test.ts
/**
 * Appends the results of calls, a group for each transaction. On a conflict, the stream is read and the results are decided again. While the
 * store is down, they are appended again and again with the same event ids.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '../../domain/errors.ts'
import { UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, Ids } from '../../domain/ports.ts'
import { isSuccess } from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { retry } from '../support/retry.ts'
import type { DeliveryQueue } from './queue.ts'
import { byTransaction, decideGroup, type Group, type TransactionResults, type Waiting } from './result-groups.ts'
import type { TrackedTransactions } from './tracked.ts'

/** Pauses between attempts while the store is down. */
const BACK_OFF = { firstMs: 250, mostMs: 250 }

/** Milliseconds that results wait for the present urls of their rules. */
const PATIENCE = 1_000

export interface ResultWriterOptions {
  store: EventStore
  queue: Pick<DeliveryQueue, 'presentRules'>
  ids: Ids
  tracked: TrackedTransactions
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** Called once for failures that are not an outage of the store, until it answers. An outage is reported elsewhere. */
  onError: (error: unknown) => void
}

/** @param givenUp  ends the attempts to reach the store, and `write` throws */
export const openResultWriter = (options: ResultWriterOptions, givenUp: AbortSignal) => {
  const { untilItAnswers, isFailing } = openAsking(givenUp, options.onError)

  const write = async (taken: readonly Waiting[]): Promise<void> => {
    await Promise.all([number(taken), noteOutdated(taken)])
    let groups = decide(byTransaction(taken, options.tracked))
    while (groups.length > 0) groups = await append(groups)
  }

  const number = async (taken: readonly Waiting[]): Promise<void> => {
    const calls = taken.filter(({ outcome }) => outcome.result)
    const ids = await untilItAnswers(() => options.ids.next(calls.length))
    calls.forEach((call, index) => (call.attempt_id = ids[index]!))
  }

  /** Retries of calls to a former url do not wait. If the database does not say so soon, they follow the schedule. */
  const noteOutdated = async (taken: readonly Waiting[]): Promise<void> => {
    const failed = taken.filter(({ outcome: { result } }) => result && !isSuccess(result.http_status))
    if (failed.length === 0) return
    const rules = [...new Set(failed.map(({ outcome }) => outcome.rule_id))]
    const asked = options.queue.presentRules(rules).catch(() => null)
    const present = await Promise.race([asked, pause(PATIENCE, null, { ref: false })])
    if (present === null) return
    const byId = new Map(present.map((rule) => [rule.rule_id, rule]))
    for (const each of failed) {
      const rule = byId.get(each.outcome.rule_id)
      const { url, account_revision } = each.outcome.result!
      // The read models may be behind the call: then theirs is the former url.
      each.isOutdated = !rule || (rule.account_revision > account_revision && rule.url !== url)
    }
  }

  /** @returns the groups that have events to append */
  const decide = (groups: readonly TransactionResults[]): Group[] => {
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

  return { write, isFailing }
}

/** Asks until there is an answer. */
const openAsking = (givenUp: AbortSignal, onError: (error: unknown) => void) => {
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
