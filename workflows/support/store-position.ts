/** How far a reader of the store's events has come, with the event it stands at: by that a start sees that the store is the one it was. */
import type { RecordedEvent } from '../../domain/event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'

/** The last event met. */
export interface Place {
  checkpoint: Checkpoint
  event_id: string
  stream: string
  revision: number
}

export const placeOf = ({ checkpoint, id, stream, revision }: RecordedEvent): Place => ({
  checkpoint,
  event_id: id,
  stream,
  revision,
})

/** Whether a place is one of this store's. */
export const isPlaceIn = async (
  store: Pick<EventStore, 'read' | 'isAfter'>,
  { checkpoint, event_id, stream, revision }: Place,
): Promise<boolean> => {
  const [[found] = []] = await store.read([{ stream, from: revision, limit: 1 }])
  if (found?.id === event_id) return true
  // Its stream was erased since, up to the event that says so.
  return found?.type === 'TransactionDeleted' && store.isAfter(found.checkpoint, checkpoint)
}
