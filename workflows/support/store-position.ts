// Tests: tests/integration/roles/recognise.test.ts
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

export const storePositionOf = ({ checkpoint, id, stream, revision }: RecordedEvent): StorePosition => ({
  checkpoint,
  event_id: id,
  stream,
  revision,
})

/** The last event at which a reader may stand. A reader that starts again repeats tombstones after it. */
export const lastPlaceIn = (events: readonly StoredEvent[]): StoredEvent | undefined =>
  events.findLast((event) => !isTombstone(event))

/** Whether this store contains the position. */
export const isPositionIn = async (
  store: Pick<EventStore, 'read' | 'isAfter'>,
  { checkpoint, event_id, stream, revision }: StorePosition,
): Promise<boolean> => {
  const [[found] = []] = await store.read([{ stream, from: revision, limit: 1 }])
  // A stream that was deleted in the store since: nothing there can be compared any more.
  if (found?.id === event_id || (found && isTombstone(found))) return true
  // Its stream was erased since, up to the event that records the deletion.
  return found?.type === 'TransactionDeleted' && store.isAfter(found.checkpoint, checkpoint)
}
