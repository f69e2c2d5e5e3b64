/** The shape every event has, before and after it is in the store. */

/** Written beside every event, never shown to a shop. */
export interface Metadata {
  /** Owner of the event; null for events of the installation itself (`ids`, `email-…`). */
  user_id: number | null
  /** When the decision was made: ISO 8601 UTC with milliseconds. */
  at: string
  /** The same for all that follows from one request or one notification. */
  correlation_id: string
  /** The id of the event or request that made this one happen. */
  causation_id: string
  /** Version of the event's schema. */
  version: number
}

/** An event as decided: its id is random per decision and used again only for that decision's own retries. */
export interface NewEvent<Type extends string = string, Data = unknown> {
  id: string
  type: Type
  data: Data
  metadata: Metadata
}

/** An event as the store gives it back. */
export interface RecordedEvent<Type extends string = string, Data = unknown> extends NewEvent<Type, Data> {
  stream: string
  /** Place in its stream, from 0. */
  revision: number
  /** Place among all events: opaque, compared by the store's `isAfter`. */
  checkpoint: string
}

/** What a decider returns: the type and the data; the workflow adds id and metadata. */
export type Fact<Type extends string = string, Data = unknown> = { type: Type; data: Data }
