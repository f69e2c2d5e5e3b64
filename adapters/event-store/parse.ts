// Tests: tests/contract/event-store/postgres.test.ts
import type { RecordedEvent } from '../../domain/event.ts'

/**
 * Called once for each event that a store reads: `parseEvent`, or `unparsed` for tools that copy a store. Events that this
 * process appended reach its subscriptions without it, because the compiler has checked their data.
 */
export type Parse<Event extends RecordedEvent> = (event: RecordedEvent) => Event

export const unparsed: Parse<RecordedEvent> = (event) => event

/** The value of a JSON text; undefined if it is not JSON. Another program may have written anything. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
