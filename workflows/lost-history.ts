// Tests: tests/chaos/store-went-back.test.ts
/**
 * Reports that the event store went back in time. Baoco cannot restore the missing events. So it tells the operator what is missing, and can
 * restore a later backup or ask for the payments again.
 */
import type { Clock, EventStore, Ids } from '../domain/ports.ts'
import { transactionIn, transactionStream } from '../domain/transaction/events.ts'
import { inEach } from './texts/texts.ts'
import { slicesOf } from './support/slices.ts'
import { ownCause } from './support/stamp.ts'
import { openAlerts } from './alerts/alerts.ts'
import { operatorOf } from './operator.ts'

/** Ids in the alert. The log line has all of them. */
const MOST_LISTED = 20

/** @returns the transactions that the store does not have, in ascending order */
export const missingTransactions = async (
  store: Pick<EventStore, 'read'>,
  transactions: readonly number[],
): Promise<number[]> => {
  const missing: number[] = []
  const newest = transactions.map((id) => ({ stream: transactionStream(id), backwards: true, limit: 1 }))
  for await (const [stream, events] of slicesOf(store, newest))
    if (events.length === 0) missing.push(transactionIn(stream)!)
  return missing.toSorted((a, b) => a - b)
}

/** Consecutive ids as ranges, such as `7, 1001–1040`. */
export const rangesOf = (ids: readonly number[]): string[] => {
  const ranges: [number, number][] = []
  for (const id of ids) {
    const last = ranges.at(-1)
    if (last?.[1] === id - 1) last[1] = id
    else ranges.push([id, id])
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`))
}

/** Raises an alert on the operator's account, if there is one. */
export const alertOperator = async (
  parts: { store: EventStore; clock: Clock; ids: Ids },
  missing: readonly number[],
): Promise<void> => {
  const { store, clock } = parts
  const user_id = await operatorOf(store)
  if (user_id === null) return
  const now = clock.now().toISOString()
  await openAlerts(parts).raise({
    user_id,
    kind: 'store_went_back',
    subject: 'event_store',
    text: textOf(missing),
    since: now,
    // It happened at once, and may happen again.
    ends_at: now,
    ...ownCause(),
  })
}

const textOf = (missing: readonly number[]) => {
  const ranges = rangesOf(missing)
  const listed = ranges.slice(0, MOST_LISTED).join(', ')
  return inEach(({ alerts }) => alerts.storeWentBack(missing.length, listed, ranges.length > MOST_LISTED))
}
