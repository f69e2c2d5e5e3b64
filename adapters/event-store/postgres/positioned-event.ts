// Tests: tests/unit/adapters/event-store/postgres/tail.test.ts
import type { RecordedEvent } from '../../../domain/event.ts'

/** An event with its position as a number, so that positions can be compared. */
export interface PositionedEvent<Event extends RecordedEvent = RecordedEvent> {
  position: number
  /** Approximate bytes of its data as stored. */
  size: number
  event: Event
}
