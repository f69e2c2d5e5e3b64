// Tests: tests/integration/projections/parking.test.ts
/** The parked streams of a projector, each from its first event that cannot be applied. `parking.ts` writes the rows. */
import { projection, table } from './definition.ts'

export const parkedTable = table(
  'parked',
  {
    stream: 'text',
    revision: 'bigint',
    event_id: 'text',
    /** Checkpoint of the event. */
    position: 'text',
    /** Type of the event, as it is stored. */
    type: 'text',
    /** A `Problem` of `domain/parse-event.ts`, or `refused`. */
    reason: 'text',
    detail: 'text',
    /** When the event was decided. null if it has no metadata. */
    since: 'timestamptz',
  },
  { key: ['stream'] },
)

export const parked = projection(parkedTable, { version: 1 }, {})

export interface ParkedStream {
  stream: string
  revision: number
  event_id: string
  position: string
  type: string
  reason: string
  detail: string
  since: string | null
}
