/** The position of a reader of the store's events. It includes the last event, so that a start detects a different store. */
import type { RecordedEvent } from '../../domain/event.ts'
import { isTombstone, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'

/** The last processed event. */
export interface StorePosition {
  checkpoint: Checkpoint
  event_id: string
  stream: string
  revision: number
}

export const storePositionOf = ({
  checkpoint,
  id,
  stream,
  revision,
}: Pick<RecordedEvent, 'checkpoint' | 'id' | 'stream' | 'revision'>): StorePosition => ({
  checkpoint,
  event_id: id,
  stream,
  revision,
})

/** The last event whose position a reader may store. A reader that starts again repeats tombstones after it. */
export const lastPositionIn = (events: readonly StoredEvent[]): StoredEvent | undefined =>
  events.findLast((event) => !isTombstone(event))

/** Whether a position is at or after another one. A position of another store, before a store migration, is not. */
export const isAtOrAfter = (position: Checkpoint, other: Checkpoint, isAfter: EventStore['isAfter']): boolean => {
  try {
    return !isAfter(other, position)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/**
 * Whether an event proves that its store contains a position.
 * @param found  the first event of the position's stream from its revision on; undefined if there is none
 */
export const proves = (
  found: RecordedEvent | undefined,
  { checkpoint, event_id, revision }: StorePosition,
  isAfter: EventStore['isAfter'],
): boolean => {
  if (!found) return false
  if (found.revision === revision) return found.id === event_id
  // An operator deleted the stream on the server. The event that stands for it has no metadata and no position.
  if ((found.metadata as unknown) === undefined) return true
  // Its stream was erased since, up to a later event.
  return isAfter(found.checkpoint, checkpoint)
}

/** Whether this store contains the position. @returns null if another store issued the position, before a store migration */
export const isPositionIn = async (
  store: Pick<EventStore, 'read' | 'isAfter'>,
  position: StorePosition,
): Promise<boolean | null> => {
  const [[found] = []] = await store.read([{ stream: position.stream, from: position.revision, limit: 1 }])
  // A stream that was deleted in the store since: nothing there can be compared any more.
  if (found && isTombstone(found)) return true
  // A store migration keeps ids and revisions.
  if (found?.id === position.event_id && found.checkpoint !== position.checkpoint) return null
  try {
    return proves(found, position, (a, b) => store.isAfter(a, b))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
