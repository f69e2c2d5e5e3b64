// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Checks deliveries from the queue or from a dead worker against their streams before they are sent. Deliveries that
 * are deleted, ended or already attempted are dropped. One read serves all of them. It also gives the revision at which
 * the result is appended.
 */
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Slice } from '../../domain/ports.ts'
import { isToBeAttempted } from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import type { Claimed, Due } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

/**
 * @param read  null if it was given up; then nothing is kept
 * @returns what is still to be attempted; these and the orphans are held in `tracked`
 */
export const checkAgainstStreams = async (
  { claimed, orphans }: Due,
  read: (slices: readonly Slice[]) => Promise<StoredEvent[][] | null>,
  tracked: TrackedTransactions,
): Promise<Due> => {
  const transactions = [...new Set([...claimed, ...orphans].map((each) => each.transaction_id))]
  if (transactions.length === 0) return { claimed: [], orphans: [] }
  const answers = await read(transactions.map((transaction) => ({ stream: transactionStream(transaction) })))
  if (!answers) return { claimed: [], orphans: [] }
  const streams = new Map(transactions.map((transaction, index) => [transaction, answers[index] ?? []]))
  const isDue = (each: Claimed): boolean =>
    isToBeAttempted(foldTransaction(streams.get(each.transaction_id)!), each.rule_id, each.attempt)
  const kept = { claimed: claimed.filter(isDue), orphans }
  for (const each of [...kept.claimed, ...orphans]) tracked.holdRead(each, streams.get(each.transaction_id)!)
  return kept
}
