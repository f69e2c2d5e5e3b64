// Tests: tests/unit/adapters/event-store/eventstoredb/received-event.test.ts
/** An event as a subscription received it. It is parsed when the first reader wants it, and only once. */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Parse } from '../parse.ts'
import type { Placed } from '../ring.ts'

/** Approximate bytes of an event's name, id and positions, besides its data. */
const FRAME_BYTES = 200

export class ReceivedEvent<Event extends RecordedEvent> implements Placed<Position> {
  readonly position: Position
  readonly #parse: Parse<Event>
  #recorded: RecordedEvent
  #parsed: Event | undefined

  constructor(position: Position, recorded: RecordedEvent, parse: Parse<Event>) {
    this.position = position
    this.#recorded = recorded
    this.#parse = parse
  }

  get stream(): string {
    return this.#recorded.stream
  }

  /** Its id and its positions, which are the same before and after it is parsed. */
  get identity(): Pick<RecordedEvent, 'checkpoint' | 'id' | 'stream' | 'revision'> {
    return this.#recorded
  }

  /** Approximate bytes of its data and metadata. The client does not report them. */
  get size(): number {
    return FRAME_BYTES + sizeOf(this.#recorded.data) + sizeOf(this.#recorded.metadata)
  }

  /** @throws what the parser throws, for each reader */
  get event(): Event {
    // The unparsed data is not kept.
    if (!this.#parsed) this.#recorded = this.#parsed = this.#parse(this.#recorded)
    return this.#parsed
  }
}

/** About the length of a value as JSON. */
export const sizeOf = (value: unknown): number => {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 0
  for (const [name, part] of Object.entries(value)) size += name.length + sizeOf(part)
  return size
}
