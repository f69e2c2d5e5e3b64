// Tests: tests/integration/http/transactions.test.ts
/**
 * Manual actions of an owner on transactions: retry one, retry many, delete. However many there are, they need one read
 * and one append. Only those that changed in between are read and decided again.
 */
import type { Account } from '../../domain/account/account.ts'
import { activePrefixes } from '../../domain/account/systems.ts'
import { Refused } from '../../domain/errors.ts'
import { orderIdOf } from '../../domain/reader/order-id.ts'
import { UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type EventStore } from '../../domain/ports.ts'
import { release, remove, retry, type RetryOccasion } from '../../domain/transaction/decide.ts'
import { transactionStream, type TransactionEvent } from '../../domain/transaction/events.ts'
import { foldTransaction, type Transaction } from '../../domain/transaction/transaction.ts'
import type { RetriedStatus } from '../../domain/job/events.ts'
import type { OwnersOccasion } from '../accounts/accounts.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { stamp } from '../support/stamp.ts'

const notFound = () => new Refused('NOT_FOUND', 'The transaction does not exist.')

interface Loaded {
  id: number
  events: readonly StoredEvent[]
}

const load = async (store: EventStore, ids: readonly number[]): Promise<Loaded[]> => {
  const streams = await store.read(ids.map((id) => ({ stream: transactionStream(id) })))
  return ids.map((id, index) => ({ id, events: streams[index] ?? [] }))
}

/**
 * The result per transaction: the position of the decision in the store (null if there was nothing to decide), or the
 * refusal, or why the transaction cannot be read.
 */
type Outcome = { checkpoint: Checkpoint | null } | { refused: Refused | UnreadableEvent }

/** Another user's transaction is treated as if it did not exist. */
const decideEach = async (
  store: EventStore,
  occasion: OwnersOccasion,
  ids: readonly number[],
  decide: (transaction: Transaction, loaded: Loaded) => readonly TransactionEvent[],
): Promise<Map<number, Outcome>> => {
  const outcomes = new Map<number, Outcome>()
  const decideOne = (loaded: Loaded): readonly TransactionEvent[] => {
    const { id, events } = loaded
    try {
      const transaction = foldTransaction(events)
      if (transaction?.user_id !== occasion.user_id) throw notFound()
      const facts = decide(transaction, loaded)
      if (facts.length === 0) outcomes.set(id, { checkpoint: null })
      return facts
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof UnreadableEvent)) throw error
      outcomes.set(id, { refused: error })
      return []
    }
  }
  let open = ids
  return untilNoConflict(async () => {
    const decided = (await load(store, open))
      .map((loaded) => ({ ...loaded, facts: decideOne(loaded) }))
      .filter(({ facts }) => facts.length > 0)
    const units = decided.map(({ id, events, facts }) => [
      {
        stream: transactionStream(id),
        expectedRevision: events.at(-1)?.revision ?? NO_STREAM,
        events: stamp(facts, occasion),
      },
    ])
    const results = units.length > 0 ? await store.append(units) : []
    decided.forEach(({ id }, index) => {
      const result = results[index]
      if (result?.ok) outcomes.set(id, { checkpoint: result.checkpoint })
    })
    open = open.filter((id) => !outcomes.has(id))
    return open.length === 0 ? outcomes : CONFLICT
  })
}

const single = (outcome: Outcome | undefined): { checkpoint: Checkpoint | null } => {
  if (!outcome) throw notFound()
  if ('refused' in outcome) throw outcome.refused
  return outcome
}

const retryOccasion = (
  account: Account,
  occasion: OwnersOccasion,
  more: Pick<RetryOccasion, 'by' | 'again' | 'only' | 'which'>,
): RetryOccasion => ({
  ...more,
  at: occasion.at,
  account,
  find: ({ content, description }) => orderIdOf(content, description, activePrefixes(account)),
})

const isQueued = (facts: readonly TransactionEvent[]): boolean =>
  facts.some((fact) => fact.type === 'WebhookRetryRequested' && fact.data.rules.length > 0)

/**
 * @param again  sends it once more if it succeeded
 * @returns whether a call is due again. It is not if the transaction was matched again, and matches no rule (`no_match`) or only
 *   rules that have succeeded (`success`). `checkpoint` is null if nothing can be sent earlier
 * @throws {Refused} NOT_FOUND, CONFLICT for a status that cannot be retried · {StoreUnavailable}
 */
export const retryTransaction = async (
  store: EventStore,
  account: Account,
  occasion: OwnersOccasion,
  id: number,
  again: boolean,
): Promise<{ checkpoint: Checkpoint | null; result: 'queued' | 'no_match' | 'success' }> => {
  const by = retryOccasion(account, occasion, { by: 'manual', again })
  let facts: readonly TransactionEvent[] = []
  const outcomes = await decideEach(store, occasion, [id], (transaction) => (facts = retry(transaction, by)))
  const { checkpoint } = single(outcomes.get(id))
  const isSuccess = facts.some(
    (fact) => fact.type === 'WebhookRetryRequested' && fact.data.webhook_status === 'success',
  )
  return { checkpoint, result: isQueued(facts) ? 'queued' : isSuccess ? 'success' : 'no_match' }
}

/** Whether it has the status. A pending transaction has also failed if a delivery has. */
const isMeant = (transaction: Transaction, status: RetriedStatus): boolean => {
  if (transaction?.phase !== 'live') return false
  const { webhook_status, deliveries } = transaction
  if (webhook_status === status) return true
  return (
    status === 'failed' &&
    webhook_status === 'pending' &&
    [...deliveries.values()].some((each) => each.status === 'failed')
  )
}

/**
 * Retries those of the given transactions that still have the status. Those that this occasion has already retried, perhaps
 * before a crash, are left as they are.
 * @param given.only  only this rule. If it was deleted, a transaction that failed is sent to its other rules, or matched again
 * @returns how many are queued, and the position of the last one · @throws {StoreUnavailable}
 */
export const retryAll = async (
  store: EventStore,
  account: Account,
  occasion: OwnersOccasion,
  ids: readonly number[],
  given: { status?: RetriedStatus | undefined; only?: number | undefined } = {},
): Promise<{ count: number; checkpoint: Checkpoint | null }> => {
  const { status = 'failed' } = given
  const isDeleted = given.only !== undefined && !account.rules.has(given.only)
  const only = status === 'failed' && isDeleted ? undefined : given.only
  const which = status === 'failed' ? 'failed' : 'open'
  const by = retryOccasion(account, occasion, { by: 'bulk', again: true, only, which })
  const queued = new Set<number>()
  const outcomes = await decideEach(store, occasion, ids, (transaction, { id, events }) => {
    const isDone = events.some(
      ({ type, metadata }) => type === 'WebhookRetryRequested' && metadata.causation_id === occasion.causation_id,
    )
    queued.delete(id)
    if (!isDone && !isMeant(transaction, status)) return []
    const facts = isDone ? [] : retry(transaction, by)
    // Nothing is sent again if the rules of all failed deliveries were deleted, and another rule waits or none matches.
    if (isDone || isQueued(facts) || status !== 'failed') queued.add(id)
    return facts
  })
  const checkpoints = [...outcomes.values()].flatMap((outcome) =>
    'checkpoint' in outcome && outcome.checkpoint !== null ? [outcome.checkpoint] : [],
  )
  const last = checkpoints.reduce<Checkpoint | null>(
    (newest, one) => (newest === null || store.isAfter(one, newest) ? one : newest),
    null,
  )
  return { count: queued.size, checkpoint: last }
}

/**
 * Sends those of the given transactions that wait for the confirmation of their bank account.
 * @throws {StoreUnavailable}
 */
export const releaseTransactions = async (
  store: EventStore,
  account: Account,
  occasion: OwnersOccasion,
  { ids, since }: { ids: readonly number[]; since: Date },
): Promise<void> => {
  const by = { ...retryOccasion(account, occasion, { by: 'bulk' }), since }
  await decideEach(store, occasion, ids, (transaction) => release(transaction, by))
}

/**
 * Removes a transaction and erases all its events except the last, which contains no personal data.
 * @throws {Refused} NOT_FOUND · {StoreUnavailable}: the deletion may be done; another call finishes the erasure
 */
export const deleteTransaction = async (
  store: EventStore,
  occasion: OwnersOccasion,
  id: number,
): Promise<{ checkpoint: Checkpoint | null }> => {
  const outcomes = await decideEach(store, occasion, [id], (transaction) => {
    // Already deleted, perhaps not erased: there is nothing to decide, only to erase.
    if (transaction?.phase === 'deleted') return []
    return remove(transaction)
  })
  const outcome = single(outcomes.get(id))
  await store.erase(transactionStream(id))
  if (outcome.checkpoint === null) throw notFound()
  return outcome
}

/**
 * Removes the transactions of a deleted account in any state, and erases all their events except the last.
 * @returns those that cannot be read; they are unchanged
 */
export const deleteTransactions = async (
  store: EventStore,
  occasion: OwnersOccasion,
  ids: readonly number[],
): Promise<number[]> => {
  const outcomes = await decideEach(store, occasion, ids, (transaction) =>
    transaction?.phase === 'live' ? remove(transaction) : [],
  )
  const isUnreadable = (outcome: Outcome | undefined) =>
    outcome && 'refused' in outcome && outcome.refused instanceof UnreadableEvent
  const unreadable = ids.filter((id) => isUnreadable(outcomes.get(id)))
  for (const id of ids) if (!unreadable.includes(id)) await store.erase(transactionStream(id))
  return unreadable
}
