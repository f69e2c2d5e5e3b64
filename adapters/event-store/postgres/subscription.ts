/**
 * One subscription: catches up from the tables page by page, then goes on from the ring of the tail, and back to the tables
 * whenever the ring has moved on without it. Both ways start from the same place, the last position handed on, so there
 * is neither gap nor repeat where they meet.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Batch } from '../../../domain/ports.ts'
import type { Database } from '../../database/database.ts'
import { orAborted } from '../../../workflows/support/abort.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'
import { isOutage } from './outage.ts'
import type { PositionedEvent } from './positioned-event.ts'
import { readPage, type Page } from './reading.ts'
import type { Tail } from './tail.ts'

/** An empty batch reports a checkpoint that advanced over other events, at most this often. Milliseconds. */
const EMPTY_BATCH_MS = 1_000

export interface SubscriptionOptions {
  after: number
  prefixes: readonly string[] | undefined
  maxBatch: number
  signal: AbortSignal
  onFailure: (error: unknown) => void
}

export async function* subscription(
  database: Database,
  tail: Tail,
  { after, prefixes, maxBatch, signal, onFailure }: SubscriptionOptions,
): AsyncGenerator<Batch<RecordedEvent>, void, undefined> {
  const isWanted = ({ event }: PositionedEvent): boolean =>
    !prefixes || prefixes.some((prefix) => event.stream.startsWith(prefix))
  const member = { position: after }
  tail.join(member)
  let wasLive = false
  let told = after
  let toldAt = -Infinity

  const isWorthTelling = (events: readonly PositionedEvent[], live: boolean): boolean =>
    events.length > 0 || (live && !wasLive) || (member.position > told && performance.now() - toldAt >= EMPTY_BATCH_MS)
  const batch = (events: readonly PositionedEvent[], live: boolean): Batch<RecordedEvent> => {
    wasLive = live
    told = member.position
    toldAt = performance.now()
    return { events: events.map(({ event }) => event), checkpoint: String(member.position), live }
  }
  const pageAfter = (place: number): Promise<Page | undefined> =>
    retry(() => readPage(database, place, maxBatch, prefixes), {
      signal,
      backOff: BACK_OFF,
      onFailure: (error) => {
        if (!isOutage(error)) throw error
        onFailure(error)
      },
    })

  try {
    // While the consumer works on one page the next is on its way.
    let ahead: { place: number; page: Promise<Page | undefined> } | undefined
    while (!signal.aborted) {
      const found = tail.after(member.position, maxBatch, isWanted)
      if (found) {
        member.position = found.to
        const live = found.newest
        if (isWorthTelling(found.events, live)) yield batch(found.events, live)
        else await orAborted(tail.moved(), signal)
        continue
      }
      const reading = ahead?.place === member.position ? ahead.page : pageAfter(member.position)
      ahead = undefined
      const page = await orAborted(reading, signal)
      if (!page || signal.aborted) return
      member.position = page.to
      const live = page.to >= page.head
      if (!live) {
        ahead = { place: member.position, page: pageAfter(member.position) }
        ahead.page.catch(() => {})
      }
      if (isWorthTelling(page.events, live)) yield batch(page.events, live)
      // Up to date before the tail has begun: it will tell where to go on from.
      else if (live) await orAborted(tail.moved(), signal)
    }
  } finally {
    tail.leave(member)
  }
}
