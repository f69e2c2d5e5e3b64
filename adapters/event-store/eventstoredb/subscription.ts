// Tests: tests/integration/eventstoredb/subscriptions.test.ts
/**
 * One subscription. While it is behind, it receives events by itself (`following.ts`). Then it continues from the ring of the
 * tail, and receives them by itself again whenever the ring no longer contains its position. Both continue from the last
 * position handed on, so there is neither a gap nor a repeat between them.
 *
 * A subscription that is live may be at an earlier position than the beginning of the ring, although no event is between them.
 * It enters the ring with the next event.
 */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Batch } from '../../../domain/ports.ts'
import type { ReceivedEvent } from './received-event.ts'
import { following, type FollowingParts } from './following.ts'
import { checkpointOf, isAfter, START_POSITION } from './position.ts'
import type { Tail } from './tail.ts'

/** Milliseconds. An empty batch reports a checkpoint that advanced past other events, at most this often. */
const EMPTY_BATCH_MS = 1_000

export interface SubscriptionOptions {
  /** null means from the start. */
  after: Position | null
  /** The prefixes of the wanted streams; undefined means all. */
  prefixes: readonly string[] | undefined
  maxBatch: number
  signal: AbortSignal
}

export async function* subscription<Event extends RecordedEvent>(
  parts: FollowingParts<Event>,
  tail: Tail<Event>,
  { after, prefixes, maxBatch, signal }: SubscriptionOptions,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const { history } = parts
  const isWanted = (stream: string): boolean => !prefixes || prefixes.some((one) => stream.startsWith(one))
  const isWantedThere = ({ stream }: ReceivedEvent<Event>): boolean => isWanted(stream)
  const member = { position: after ?? START_POSITION }
  let wasLive = false
  let reported = member.position
  let reportedAt = -Infinity
  const untilReport = (): number =>
    isAfter(member.position, reported) ? reportedAt + EMPTY_BATCH_MS - performance.now() : Infinity
  const isWorthReporting = (events: readonly unknown[], live: boolean, isMarked: boolean): boolean =>
    events.length > 0 || (live && !wasLive) || isMarked || untilReport() <= 0
  const batch = (received: readonly ReceivedEvent<Event>[], live: boolean): Batch<Event> => {
    wasLive = live
    reported = member.position
    reportedAt = performance.now()
    return { events: received.map(({ event }) => event), checkpoint: checkpointOf(member.position), live }
  }

  async function* byItself(): AsyncGenerator<Batch<Event>, void, undefined> {
    const wanted = { after: member.position, most: maxBatch, isWanted, signal, dueInMs: untilReport }
    for await (const { events, position, live, isMarked } of following(parts, wanted)) {
      member.position = position
      history.saw(events.map(({ identity }) => identity))
      if (isWorthReporting(events, live, isMarked)) yield batch(events, live)
      if (signal.aborted) return
      if (live) tail.start(position)
      if (tail.ring.reaches(position)) return
    }
  }

  async function* fromRing(): AsyncGenerator<Batch<Event>, void, undefined> {
    while (!signal.aborted) {
      const found = tail.ring.after(member.position, maxBatch, isWantedThere)
      if (!found) return
      member.position = found.to
      const isMarked = isAfter(tail.marked(), reported) && !isAfter(tail.marked(), found.to)
      if (isWorthReporting(found.events, found.newest, isMarked)) yield batch(found.events, found.newest)
      else await tail.moved(untilReport(), signal)
      history.check()
    }
  }

  tail.join(member)
  try {
    while (!signal.aborted) {
      history.check()
      yield* fromRing()
      if (!signal.aborted) yield* byItself()
    }
  } finally {
    tail.leave(member)
  }
}
