/**
 * What comes from the queue or from a dead worker is checked against its stream before it is sent: deleted, ended or already
 * attempted is dropped. One read for all of them; it tells the revision at which the result is appended, too.
 */
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Slice } from '../../domain/ports.ts'
import { isToBeAttempted } from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import type { Claimed, Due } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

/**
 * @param read  null when it was given up: then nothing is kept
 * @returns what is still to be attempted; it and the orphans are held in `tracked`
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
