// Tests: tests/unit/workflows/support/execute.test.ts
/** Turns the facts of a decision into events with ids. The ids are random per decision. Retries of the append keep them. */
import { randomUUID } from 'node:crypto'
import { newestVersion } from '../../domain/upcasters/index.ts'
import type { Fact, Metadata, NewEvent, RecordedEvent } from '../../domain/event.ts'

/** The context of a decision. */
export interface Occasion {
  user_id: number | null
  at: Date
  correlation_id: string
  causation_id: string
}

/** The cause that a decision records if it follows from an event. */
export const causedBy = ({
  id,
  metadata,
}: Pick<RecordedEvent, 'id' | 'metadata'>): Pick<Occasion, 'correlation_id' | 'causation_id'> => ({
  correlation_id: metadata.correlation_id,
  causation_id: id,
})

/** The cause that a decision records if it follows from no event. @param cause  names what decided */
export const ownCause = (cause: string = randomUUID()): Pick<Occasion, 'correlation_id' | 'causation_id'> => ({
  correlation_id: cause,
  causation_id: cause,
})

const FIRST_VERSION = 1

/** The metadata that all events of one decision share. Create it once if the events are stamped in several parts. */
export const metadataOf = ({ user_id, at, correlation_id, causation_id }: Occasion): Metadata => ({
  user_id,
  at: at.toISOString(),
  correlation_id,
  causation_id,
  version: FIRST_VERSION,
})

export const stampWith = (facts: readonly Fact[], metadata: Metadata): NewEvent[] =>
  facts.map(({ type, data }) => {
    const version = newestVersion(type)
    return {
      id: randomUUID(),
      type,
      data,
      metadata: version === metadata.version ? metadata : { ...metadata, version },
    }
  })

export const stamp = (facts: readonly Fact[], occasion: Occasion): NewEvent[] => stampWith(facts, metadataOf(occasion))
