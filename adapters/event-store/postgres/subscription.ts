// Tests: tests/contract/event-store/postgres.test.ts
/**
 * One subscription. It first catches up from the tables, page by page. Then it continues from the ring of the tail, and
 * returns to the tables whenever the ring no longer contains its position. Both sources start from the same position, the
 * last one handed on, so there is neither a gap nor a repeat between them.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Batch } from '../../../domain/ports.ts'
import type { History } from '../history.ts'
import { orAborted } from '../../../workflows/support/abort.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'
import { isOutage } from './outage.ts'
import type { PositionedEvent } from './positioned-event.ts'
import type { Pages } from './pages.ts'
import type { Page } from './reading.ts'
import type { Tail } from './tail.ts'

/** Milliseconds. An empty batch reports a checkpoint that advanced past other events, at most this often. */
const EMPTY_BATCH_MS = 1_000

export interface SubscriptionOptions {
  history: History
  after: number
  prefixes: readonly string[] | undefined
  maxBatch: number
  signal: AbortSignal
  onFailure: (error: unknown) => void
}

export async function* subscription<Event extends RecordedEvent>(
  pages: Pages<Event>,
  tail: Tail<Event>,
  { history, after, prefixes, maxBatch, signal, onFailure }: SubscriptionOptions,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const isWanted = ({ event }: PositionedEvent<Event>): boolean =>
    !prefixes || prefixes.some((prefix) => event.stream.startsWith(prefix))
  const member = { position: after }
  tail.join(member)
  // One listener for the whole subscription costs less than one for each wait.
  const release = (): void => tail.release()
  signal.addEventListener('abort', release, { once: true })
  let wasLive = false
  let reported = after
  let reportedAt = -Infinity

  const isWorthReporting = (events: readonly PositionedEvent<Event>[], live: boolean): boolean =>
    events.length > 0 ||
    (live && !wasLive) ||
    (member.position > reported && performance.now() - reportedAt >= EMPTY_BATCH_MS)
  const batch = (events: readonly PositionedEvent<Event>[], live: boolean): Batch<Event> => {
    wasLive = live
    reported = member.position
    reportedAt = performance.now()
    return { events: events.map(({ event }) => event), checkpoint: String(member.position), live }
  }
  const pageAfter = (position: number): Promise<Page<Event> | undefined> =>
    retry(() => pages.read(position, maxBatch, prefixes), {
      signal,
      backOff: BACK_OFF,
      onFailure: (error) => {
        if (!isOutage(error)) throw error
        onFailure(error)
      },
    })

  try {
    // The next page is read while the consumer works on the current one.
    let ahead: { position: number; page: Promise<Page<Event> | undefined> } | undefined
    while (!signal.aborted) {
      history.check()
      const found = tail.ring.after(member.position, maxBatch, isWanted)
      if (found) {
        member.position = found.to
        const live = found.newest
        if (isWorthReporting(found.events, live)) yield batch(found.events, live)
        else await tail.moved()
        continue
      }
      const reading = ahead?.position === member.position ? ahead.page : pageAfter(member.position)
      ahead = undefined
      const page = await orAborted(reading, signal)
      if (!page || signal.aborted) return
      member.position = page.to
      history.saw(page.events.map(({ event }) => event))
      const live = page.to >= page.head
      if (!live) {
        ahead = { position: member.position, page: pageAfter(member.position) }
        ahead.page.catch(() => {})
      }
      if (isWorthReporting(page.events, live)) yield batch(page.events, live)
      // Up to date before the tail has started. The tail will report the position to continue from.
      else if (live) await tail.moved()
    }
  } finally {
    signal.removeEventListener('abort', release)
    tail.leave(member)
  }
}
