import type { RecordedEvent } from '../../../domain/event.ts'

/** An event with its place as a number, for comparing. */
export interface PositionedEvent {
  position: number
  /** Roughly, of its data as stored: bytes. */
  size: number
  event: RecordedEvent
}
