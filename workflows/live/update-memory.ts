// Tests: tests/integration/http/stream.test.ts
/** The newest live updates of all users, for listeners that come back. Earlier ones are read from the store if a listener needs them. */
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { liveUpdateOf, type LiveUpdate } from './updates.ts'

/** Number of remembered events, of all users. */
const REMEMBERED = 5_000
/** Events that are read at a time. With the longest texts they take 14 MB. */
const PAGE = 100
/** Milliseconds after a read that reached too far back, until the next one. Limits what callers with old ids cost. */
const READ_AGAIN_MS = 10_000

export interface PositionedUpdate {
  checkpoint: Checkpoint
  update: LiveUpdate
}

type Remembered = PositionedUpdate & { user_id: number }

const rememberedOf = (events: readonly StoredEvent[]): Remembered[] =>
  events.flatMap((event) => {
    const { user_id } = event.metadata
    const update = user_id === null ? null : liveUpdateOf(event)
    return user_id === null || update === null ? [] : [{ checkpoint: event.checkpoint, update, user_id }]
  })

export class UpdateMemory {
  readonly #store: Pick<EventStore, 'isAfter' | 'readAll'>
  readonly #mostRead: number
  #remembered: Remembered[] = []
  /** Events after this position are remembered. */
  #since: Checkpoint | null = null
  #readTooFarAt = -Infinity

  /** @param mostRead  most events that are read from the store at once */
  constructor(store: Pick<EventStore, 'isAfter' | 'readAll'>, mostRead: number) {
    this.#store = store
    this.#mostRead = mostRead
  }

  /** Events after this position follow. */
  begin(position: Checkpoint | null): void {
    this.#since = position
  }

  /** @returns the updates of these events */
  add(events: readonly StoredEvent[]): Remembered[] {
    const added = rememberedOf(events)
    this.#remembered.push(...added)
    return added
  }

  /** Drops the oldest updates if there are too many. */
  forget(): void {
    if (this.#remembered.length <= 2 * REMEMBERED) return
    const forgotten = this.#remembered.length - REMEMBERED
    this.#since = this.#remembered[forgotten - 1]!.checkpoint
    this.#remembered = this.#remembered.slice(forgotten)
  }

  /** Reads the events after this position, unless they are remembered or too many. */
  async readFrom(after: Checkpoint): Promise<void> {
    const store = this.#store
    const until = this.#since
    if (until === null || !store.isAfter(until, after)) return
    if (performance.now() - this.#readTooFarAt < READ_AGAIN_MS) return
    const found: Remembered[] = []
    const page = Math.min(PAGE, this.#mostRead)
    let from = after
    for (let read = 0; read < this.#mostRead; read += PAGE) {
      const events = await store.readAll(from, page)
      found.push(...rememberedOf(events.filter(({ checkpoint }) => !store.isAfter(checkpoint, until))))
      const last = events.at(-1)?.checkpoint
      if (events.length === page && store.isAfter(until, last!)) {
        from = last!
        continue
      }
      if (this.#since !== until) return // forgotten meanwhile
      this.#remembered = [...found, ...this.#remembered]
      this.#since = after
      return
    }
    this.#readTooFarAt = performance.now()
  }

  /** The updates of a user after this position; null if it is too long ago. */
  missedBy(userId: number, after: Checkpoint): PositionedUpdate[] | null {
    if (this.#since !== null && this.#store.isAfter(this.#since, after)) return null
    return this.#remembered.filter(
      ({ user_id, checkpoint }) => user_id === userId && this.#store.isAfter(checkpoint, after),
    )
  }
}
