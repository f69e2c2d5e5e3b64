// Tests: tests/integration/parked/stopped.test.ts
/** Deliveries that the queue does not have yet, because the read models are behind or have stopped. */
import { decidedAt } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { Queryable } from '../engine/queryable.ts'

/** A delivery is overdue after this time: milliseconds. */
const OVERDUE_MS = 30_000
/** Events that are read at a time. With the longest texts they take 14 MB. */
const PAGE = 100
/** Events looked at. If there are more, the number is a lower bound. */
const MOST_PAGES = 50

/** @returns how many deliveries were opened over 30 s ago and are in no row yet */
export const unseenDeliveries = async (
  database: Queryable,
  store: Pick<EventStore, 'readAll' | 'end' | 'isAfter'>,
  now: Date,
): Promise<number> => {
  const [row] = await database.query<{ passed: Checkpoint | null }>(
    `SELECT passed FROM read_model.checkpoint WHERE projector = 'main'`,
  )
  const end = await store.end()
  let after = row?.passed ?? null
  if (end === null || (after !== null && !store.isAfter(end, after))) return 0
  const since = new Date(now.getTime() - OVERDUE_MS).toISOString()
  let unseen = 0
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const events = await store.readAll(after, PAGE)
    for (const event of events) {
      const at = decidedAt(event)
      if (at !== null && at > since) return unseen
      const { type, data } = event
      if (type === 'TransactionCaptured' || type === 'TransactionCompleted' || type === 'WebhookRetryRequested')
        unseen += new Set(data.rules).size
    }
    if (events.length < PAGE) return unseen
    after = events.at(-1)!.checkpoint
  }
  return unseen
}
