// Tests: tests/integration/eventstoredb/shared-subscription.test.ts
/**
 * The one subscription of the process at the end of the log. It receives and parses each new event once, into a ring
 * (`../ring.ts`), for all live subscriptions of the process. It begins at the position of the first one that is live, and runs
 * while at least one exists.
 */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import { Ring, type Member } from '../ring.ts'
import type { ReceivedEvent } from './received-event.ts'
import { following, type FollowingParts } from './following.ts'
import { isAfter, START_POSITION } from './position.ts'
import { waitUntilWoken } from '../../../workflows/support/abort.ts'

const PAGE = 1_000

/** @param closing  aborts when the store is closed */
export const openTail = <Event extends RecordedEvent>(parts: FollowingParts<Event>, closing: AbortSignal) => {
  const ring = new Ring<Position, ReceivedEvent<Event>>(isAfter)
  let stopping = new AbortController()
  /** Somebody waits for this position (`end.ts`). */
  let marked = START_POSITION
  const waiters = new Set<() => void>()

  /** Stops the tail if it was the last member. */
  const leave = (member: Member<Position>): void => {
    if (!ring.leave(member) || ring.hasMembers) return
    stopping.abort()
    ring.clear()
  }

  /** Starts after the position of a member that is live, unless it runs. */
  const start = (after: Position): void => {
    if (ring.to !== null || closing.aborted) return
    stopping = new AbortController()
    // Newer events may be on their way.
    ring.begin(after, false)
    void run(after, stopping.signal)
  }

  /** Resolves when something arrived or the tail ended, or after this many milliseconds. */
  const moved = (withinMs: number, signal: AbortSignal): Promise<void> => waitUntilWoken(withinMs, signal, waiters)

  const run = async (after: Position, stop: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([stop, closing])
    const wanted = { after, most: PAGE, isWanted: () => true, signal, dueInMs: () => Infinity }
    try {
      for await (const { events, position, live, isMarked } of following(parts, wanted)) {
        if (signal.aborted) return
        parts.history.saw(events.map(({ identity }) => identity))
        if (isMarked) marked = position
        ring.keep(events, position, live)
        notify()
      }
    } catch {
      // Each subscription continues by itself, and throws what the server answers to it.
    }
    if (stop.aborted) return
    ring.clear()
    notify()
  }

  const notify = (): void => {
    for (const resolve of [...waiters]) resolve()
  }

  return { ring, marked: () => marked, join: (member: Member<Position>) => ring.join(member), leave, start, moved }
}

export type Tail<Event extends RecordedEvent> = ReturnType<typeof openTail<Event>>
