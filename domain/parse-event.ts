/**
 * Parses an event as the store returns it: checks its metadata and version, upcasts its data, and checks it against its schema. It is
 * called once for each event that leaves the event store, so that everything inside works with typed events in their newest version.
 *
 * An event that cannot be read becomes `Unreadable`. Projections park its stream (`projections/engine/parking.ts`), and folds stop at it
 * (`isFoldable`), because a state without it would be wrong. After the operator has skipped it, it is `Skipped`, and everything ignores it.
 */
import { eventSchemas, type KnownEvent } from './catalogue.ts'
import { StoreUnavailable } from './errors.ts'
import type { Metadata, RecordedEvent } from './event.ts'
import { newestVersion, upcasters, type Upcasters } from './upcasters/index.ts'

/** Why an event cannot be read: this release is older than the event, or the event was damaged or written by another program. */
export type Problem = 'unknown_type' | 'newer_version' | 'invalid_data' | 'invalid_metadata' | 'stream_deleted'

/** Type of the event that EventStoreDB returns for a stream that an operator has deleted there (a tombstone). */
const TOMBSTONE = '$streamDeleted'

/** The stored event. `data` is undefined if it is not JSON. */
interface Stored {
  type: string
  data: unknown
}

/** Stands in place of an event that cannot be read, with the same id, stream, revision and checkpoint. */
export type Unreadable = RecordedEvent<'Unreadable', { problem: Problem; detail: string; stored: Stored }>

/** Stands in place of an event that the operator has skipped. */
export type Skipped = RecordedEvent<'Skipped', { stored: Stored }>

/** An event as reads of the event store return it. */
export type StoredEvent = KnownEvent | Unreadable | Skipped

/** Metadata of an event that has none. The time of its decision is not known. */
const NO_METADATA: Metadata = { user_id: null, at: '', correlation_id: '', causation_id: '', version: 1 }

const isText = (value: unknown): value is string => typeof value === 'string'

/** The oldest events have no version, because versions were not written then. */
const isMetadata = (metadata: unknown): metadata is Omit<Metadata, 'version'> & { version?: number } => {
  if (typeof metadata !== 'object' || metadata === null) return false
  const { user_id, at, correlation_id, causation_id, version = 1 } = metadata as Record<string, unknown>
  return (
    (user_id === null || Number.isSafeInteger(user_id)) &&
    isText(at) &&
    !Number.isNaN(Date.parse(at)) &&
    isText(correlation_id) &&
    isText(causation_id) &&
    Number.isSafeInteger(version) &&
    (version as number) > 0
  )
}

const unreadable = (event: RecordedEvent, problem: Problem, detail: string): Unreadable => {
  const { type, data, metadata } = event
  return {
    ...event,
    type: 'Unreadable',
    data: { problem, detail, stored: { type, data } },
    metadata: problem === 'invalid_metadata' || problem === 'stream_deleted' ? NO_METADATA : metadata,
  }
}

/** A fold needs an event that cannot be read. Requests that need the fold fail until the event can be read or is skipped. HTTP 503. */
export class UnreadableEvent extends StoreUnavailable {
  override name = 'UnreadableEvent'
  override readonly retryAfterS = 60
  override readonly advice =
    'A part of the stored data cannot be read now, so nothing was accepted. The operator was notified. Send the request again later.'
  readonly stream: string
  readonly revision: number
  constructor({ stream, revision, data: { detail } }: Unreadable) {
    super(`${stream}@${revision}: ${detail}`)
    this.stream = stream
    this.revision = revision
  }
}

/** Whether an event has the data of its type. */
export const isReadable = (event: StoredEvent): event is KnownEvent =>
  event.type !== 'Unreadable' && event.type !== 'Skipped'

/** Whether a fold takes the event: a skipped one is ignored. @throws {UnreadableEvent} if the fold must not go on without it */
export const isFoldable = (event: StoredEvent): event is KnownEvent => {
  if (event.type === 'Unreadable') throw new UnreadableEvent(event)
  return event.type !== 'Skipped'
}

/** Whether the event marks a deleted stream. It cannot be read again by its stream, so no reader's position may name it. */
export const isTombstone = (event: StoredEvent): boolean => isTombstoneType(asStored(event).type)

/** Whether a stored event of this type marks a deleted stream. */
export const isTombstoneType = (type: string): boolean => type === TOMBSTONE

/** When the event was decided: ISO 8601. null if it has no metadata. */
export const decidedAt = ({ metadata }: StoredEvent): string | null => metadata.at || null

/** The event as it is stored, with valid metadata. */
export const asStored = (event: StoredEvent): RecordedEvent =>
  isReadable(event) ? event : { ...event, ...event.data.stored }

/** The event as `Skipped`: it keeps its position, and every reader ignores its data. */
export const asSkipped = (event: StoredEvent): Skipped => {
  const { type, data } = asStored(event)
  return { ...event, type: 'Skipped', data: { stored: { type, data } } }
}

/** @returns the event in its newest version, or `Unreadable` */
export const parseEvent = (event: RecordedEvent, steps: Upcasters = upcasters): StoredEvent => {
  const { type, metadata } = event
  if (type === TOMBSTONE) return unreadable(event, 'stream_deleted', 'the stream was deleted in the event store')
  if (!isMetadata(metadata)) return unreadable(event, 'invalid_metadata', `${type} has no valid metadata`)
  const schema = eventSchemas.get(type)
  if (!schema) return unreadable(event, 'unknown_type', `this release does not know the event ${type}`)
  const newest = newestVersion(type, steps)
  const version = metadata.version ?? 1
  if (version > newest)
    return unreadable(
      event,
      'newer_version',
      `${type} has version ${version}, but this release knows only versions up to ${newest}`,
    )
  const data = version === newest ? event.data : upcast(event, version, steps)
  const { error } = schema.safeParse(data)
  if (error)
    return unreadable(event, 'invalid_data', `${type} does not match its schema: ${error.issues[0]!.path.join('.')}`)
  // The schema of this very type has just accepted the data.
  return (data === event.data ? event : { ...event, data }) as KnownEvent
}

/** Damaged data may break a step. Then the result is undefined, which no schema accepts. */
const upcast = ({ type, data }: RecordedEvent, version: number, steps: Upcasters): unknown => {
  try {
    return (steps[type as KnownEvent['type']] ?? []).slice(version - 1).reduce((older, step) => step(older), data)
  } catch {
    return undefined
  }
}
