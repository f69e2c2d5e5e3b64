/** The decisions about parked events that are known so far. The last one about an event counts. */
import type { KnownEvent } from '../catalogue.ts'
import type { RecordedEvent } from '../event.ts'
import { REFUSED, type ParkedEvent } from './events.ts'

export type Resolution = KnownEvent<'ParkedEventSkipped' | 'ParkedEventRetried'>

export const isResolution = (event: { type: string }): event is Resolution =>
  event.type === 'ParkedEventSkipped' || event.type === 'ParkedEventRetried'

/** Identifies an event. Its revision does not, because an import numbers some streams anew. */
type EventInStream = Pick<RecordedEvent, 'stream' | 'id'>

const nameOf = ({ stream, id }: EventInStream): string => `${id}@${stream}`

/** The event that a decision is about. */
export const subjectOf = ({ stream, event_id }: Pick<ParkedEvent, 'stream' | 'event_id'>): EventInStream => ({
  stream,
  id: event_id,
})

export class Resolutions {
  readonly #last = new Map<string, Resolution>()

  get size(): number {
    return this.#last.size
  }

  add(resolution: Resolution): void {
    const name = nameOf(subjectOf(resolution.data))
    const known = this.#last.get(name)
    if (!known || known.revision < resolution.revision) this.#last.set(name, resolution)
  }

  /** The last decision about an event. */
  about(event: EventInStream): Resolution | undefined {
    return this.#last.size === 0 ? undefined : this.#last.get(nameOf(event))
  }

  /**
   * Whether every reader ignores the event. One that only the read models refused was decided on all the same: folds keep it, and only the
   * read models leave it out.
   */
  isSkipped(event: EventInStream): boolean {
    const resolution = this.about(event)
    return resolution?.type === 'ParkedEventSkipped' && resolution.data.reason !== REFUSED
  }
}
