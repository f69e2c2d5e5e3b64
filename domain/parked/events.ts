// Tests: tests/unit/domain/parked/resolutions.test.ts
/**
 * The operator's decisions about parked events: stream `parked`. A stream is parked from the first event on that cannot be read or
 * projected. The decision takes effect at its own position in the log, so a rebuild applies the same events in the same order.
 */
import { z } from 'zod'

export const PARKED_STREAM = 'parked'

/** The read models refuse the data of the event, which can be read. */
export const REFUSED = 'refused'

const parkedEvent = {
  stream: z.string(),
  revision: z.int().min(0),
  event_id: z.string(),
  /** Its type, as it is stored. */
  type: z.string(),
  /** Why its stream was parked: a `Problem`, or `refused`. */
  reason: z.string(),
  detail: z.string(),
  /** Projectors that had parked the stream, or had not reached the event. */
  projectors: z.array(z.string()),
}

export const parkedEvents = {
  /** Everything ignores the event, also a later release that can read it. Read models apply what came after it in its stream. */
  ParkedEventSkipped: z.object(parkedEvent),
  /** Read models apply the event and what came after it in its stream. */
  ParkedEventRetried: z.object(parkedEvent),
}

export type ParkedEvent = z.infer<typeof parkedEvents.ParkedEventSkipped>
