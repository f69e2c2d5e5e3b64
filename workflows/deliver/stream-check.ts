// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Checks deliveries from the queue or from a dead worker against their streams before they are sent. Deliveries that
 * are deleted, ended or already attempted are dropped. One read serves all of them. It also gives the revision at which
 * the result is appended. Deliveries of a stream that cannot be read are put off: nobody knows whether they were made.
 */
import { UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { Slice } from '../../domain/ports.ts'
import { isToBeAttempted } from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { foldTransaction, type Transaction } from '../../domain/transaction/transaction.ts'
import type { Claimed, Due, Orphan } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

/** @returns undefined if the stream cannot be read */
const foldOrNothing = (events: readonly StoredEvent[]): Transaction | undefined => {
  try {
    return foldTransaction(events)
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined
    throw error
  }
}

/**
 * @param read  null if it was given up; then nothing is kept
 * @returns what is still to be attempted; these and the orphans are held in `tracked`
 */
export const checkAgainstStreams = async (
  { claimed, orphans }: Due,
  read: (slices: readonly Slice[]) => Promise<StoredEvent[][] | null>,
  tracked: TrackedTransactions,
): Promise<Due & { putOff: Claimed[] }> => {
  const transactions = [...new Set([...claimed, ...orphans].map((each) => each.transaction_id))]
  if (transactions.length === 0) return { claimed: [], orphans: [], putOff: [] }
  const answers = await read(transactions.map((transaction) => ({ stream: transactionStream(transaction) })))
  if (!answers) return { claimed: [], orphans: [], putOff: [] }
  const streams = new Map(transactions.map((transaction, index) => [transaction, answers[index] ?? []]))
  const folds = new Map(transactions.map((transaction) => [transaction, foldOrNothing(streams.get(transaction)!)]))
  const isUnreadable = ({ transaction_id }: Orphan): boolean => folds.get(transaction_id) === undefined
  const isDue = (each: Claimed): boolean => {
    const transaction = folds.get(each.transaction_id)
    return transaction !== undefined && isToBeAttempted(transaction, each.rule_id, each.attempt)
  }
  const putOff = claimed.filter(isUnreadable)
  const kept = { claimed: claimed.filter(isDue), orphans: orphans.filter((each) => !isUnreadable(each)), putOff }
  for (const each of [...kept.claimed, ...kept.orphans]) {
    const { transaction_id } = each
    tracked.holdRead(each, streams.get(transaction_id)!, folds.get(transaction_id))
  }
  return kept
}
