// Tests: tests/unit/domain/parse-event.test.ts
/** The shape of every event, before and after it is in the store. */

/** Stored with every event, and never shown to a shop. */
export interface Metadata {
  /** Owner of the event. Null for events of the installation itself (`ids`, `email-…`). */
  user_id: number | null
  /** Time of the decision: ISO 8601 UTC with milliseconds. */
  at: string
  /** The same for everything that follows from one request or one notification. */
  correlation_id: string
  /** The id of the event or request that caused this event. */
  causation_id: string
  /** Version of the event's schema. */
  version: number
}

/** An event as decided. Its id is random per decision, and only retries of the same decision reuse it. */
export interface NewEvent<Type extends string = string, Data = unknown> {
  id: string
  type: Type
  data: Data
  metadata: Metadata
}

/** An event as the store returns it. */
export interface RecordedEvent<Type extends string = string, Data = unknown> extends NewEvent<Type, Data> {
  stream: string
  /** Position in its stream, from 0. */
  revision: number
  /** Position among all events. It is opaque: compare it with the store's `isAfter`. */
  checkpoint: string
}

/** The result of a decider: type and data. The workflow adds the id and the metadata. */
export type Fact<Type extends string = string, Data = unknown> = { type: Type; data: Data }
