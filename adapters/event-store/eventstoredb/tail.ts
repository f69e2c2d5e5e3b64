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

export class Tail<Event extends RecordedEvent> {
  readonly #parts: FollowingParts<Event>
  readonly #closing: AbortSignal
  readonly ring = new Ring<Position, ReceivedEvent<Event>>(isAfter)
  #stop = new AbortController()
  #marked = START_POSITION
  #waiters = new Set<() => void>()

  /** @param closing  aborts when the store is closed */
  constructor(parts: FollowingParts<Event>, closing: AbortSignal) {
    this.#parts = parts
    this.#closing = closing
  }

  /** Somebody waits for this position (`end.ts`). */
  get marked(): Position {
    return this.#marked
  }

  join(member: Member<Position>): void {
    this.ring.join(member)
  }

  /** Stops the tail if it was the last member. */
  leave(member: Member<Position>): void {
    if (!this.ring.leave(member) || this.ring.hasMembers) return
    this.#stop.abort()
    this.ring.clear()
  }

  /** Starts after the position of a member that is live, unless it runs. */
  start(after: Position): void {
    if (this.ring.to !== null || this.#closing.aborted) return
    this.#stop = new AbortController()
    // Newer events may be on their way.
    this.ring.begin(after, false)
    void this.#run(after, this.#stop.signal)
  }

  /** Resolves when something arrived or the tail ended, or after this many milliseconds. */
  moved(withinMs: number, signal: AbortSignal): Promise<void> {
    return waitUntilWoken(withinMs, signal, this.#waiters)
  }

  async #run(after: Position, stop: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, this.#closing])
    const wanted = { after, most: PAGE, isWanted: () => true, signal, dueInMs: () => Infinity }
    try {
      for await (const { events, position, live, isMarked } of following(this.#parts, wanted)) {
        if (signal.aborted) return
        this.#parts.history.saw(events.map(({ identity }) => identity))
        if (isMarked) this.#marked = position
        this.ring.keep(events, position, live)
        this.#notify()
      }
    } catch {
      // Each subscription continues by itself, and throws what the server answers to it.
    }
    if (stop.aborted) return
    this.ring.clear()
    this.#notify()
  }

  #notify(): void {
    for (const resolve of [...this.#waiters]) resolve()
  }
}
