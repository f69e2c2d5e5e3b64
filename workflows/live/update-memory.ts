// Tests: tests/integration/http/stream.test.ts
/** The newest live updates of all users, for listeners that come back. Earlier ones are read from the store if a listener needs them. */
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { liveUpdateOf, type LiveUpdate } from './updates.ts'

/** Number of remembered events, of all users. */
const REMEMBERED = 5_000
/** Events that are read at a time. With the longest texts they take 14 MB. */
const PAGE = 100
/** Milliseconds after the last read until as many events as before may be read again. Limits what callers with old ids cost. */
const READ_AGAIN_MS = 10_000

export interface PositionedUpdate {
  checkpoint: Checkpoint
  update: LiveUpdate
}

export type UserUpdate = PositionedUpdate & { user_id: number }

const rememberedOf = (events: readonly StoredEvent[]): UserUpdate[] =>
  events.flatMap((event) => {
    const { user_id } = event.metadata
    const update = user_id === null ? null : liveUpdateOf(event)
    return user_id === null || update === null ? [] : [{ checkpoint: event.checkpoint, update, user_id }]
  })

/** @param mostRead  most events that are read from the store in one or several reads, until `READ_AGAIN_MS` after the last one */
export const openUpdateMemory = (store: Pick<EventStore, 'isAfter' | 'readAll'>, mostRead: number) => {
  let remembered: UserUpdate[] = []
  /** Events after this position are remembered. */
  let since: Checkpoint | null = null
  let mayRead = mostRead
  let lastReadAt = -Infinity

  /** Events after this position follow. */
  const begin = (position: Checkpoint | null): void => {
    since = position
  }

  /** @returns the updates of these events */
  const add = (events: readonly StoredEvent[]): UserUpdate[] => {
    const added = rememberedOf(events)
    remembered.push(...added)
    return added
  }

  /** Drops the oldest updates if there are too many. */
  const forget = (): void => {
    if (remembered.length <= 2 * REMEMBERED) return
    const forgotten = remembered.length - REMEMBERED
    since = remembered[forgotten - 1]!.checkpoint
    remembered = remembered.slice(forgotten)
  }

  /** Reads the events after this position, unless they are remembered or too many. */
  const readFrom = async (after: Checkpoint): Promise<void> => {
    const until = since
    if (until === null || !store.isAfter(until, after)) return
    if (performance.now() - lastReadAt >= READ_AGAIN_MS) mayRead = mostRead
    const found: UserUpdate[] = []
    const page = Math.min(PAGE, mostRead)
    let from = after
    while (mayRead > 0) {
      mayRead -= PAGE
      const events = await store.readAll(from, page)
      lastReadAt = performance.now()
      found.push(...rememberedOf(events.filter(({ checkpoint }) => !store.isAfter(checkpoint, until))))
      const last = events.at(-1)?.checkpoint
      if (events.length === page && store.isAfter(until, last!)) {
        from = last!
        continue
      }
      if (since !== until) return // forgotten meanwhile
      remembered = [...found, ...remembered]
      since = after
      return
    }
  }

  /** The updates of a user after this position; null if it is too long ago. */
  const missedBy = (userId: number, after: Checkpoint): PositionedUpdate[] | null => {
    if (since !== null && store.isAfter(since, after)) return null
    return remembered.filter(({ user_id, checkpoint }) => user_id === userId && store.isAfter(checkpoint, after))
  }

  return { begin, add, forget, readFrom, missedBy }
}
