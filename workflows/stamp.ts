/** Turns what a decider decided into events with an identity: the id is random per decision, and the same on its retries. */
import { randomUUID } from 'node:crypto'
import type { Fact, Metadata, NewEvent } from '../domain/event.ts'

/** What a decision belongs to. */
export interface Occasion {
  user_id: number | null
  at: Date
  correlation_id: string
  causation_id: string
}

const SCHEMA_VERSION = 1

export const stamp = (facts: readonly Fact[], { user_id, at, correlation_id, causation_id }: Occasion): NewEvent[] => {
  const metadata: Metadata = { user_id, at: at.toISOString(), correlation_id, causation_id, version: SCHEMA_VERSION }
  return facts.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }))
}
