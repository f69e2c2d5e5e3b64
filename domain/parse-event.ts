/**
 * Parses an event as the store returns it: checks its version, upcasts its data, and checks it against its schema. It is called once for
 * each event that leaves the event store, so that everything inside works with typed events in their newest version.
 */
import { eventSchemas, type KnownEvent } from './catalogue.ts'
import type { RecordedEvent } from './event.ts'
import { newestVersion, upcasters, type Upcasters } from './upcasters/index.ts'

/** Why an event cannot be read: this release is older than the event, or the data was damaged or written by another program. */
export type Problem = 'unknown_type' | 'newer_version' | 'invalid_data'

/** Stands in the place of an event that cannot be read, with the same id, stream, revision and checkpoint. */
export type Unreadable = RecordedEvent<'Unreadable', { type: string; problem: Problem; detail: string; data: unknown }>

/** What reads of the event store return. */
export type StoredEvent = KnownEvent | Unreadable

const unreadable = (event: RecordedEvent, problem: Problem, detail: string): Unreadable => ({
  ...event,
  type: 'Unreadable',
  data: { type: event.type, problem, detail, data: event.data },
})

/** An event of a known type that this release cannot read: what depends on it must not go on without it. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent'
  constructor({ stream, revision, data: { detail } }: Unreadable) {
    super(`${stream}@${revision}: ${detail}`)
  }
}

/**
 * Whether an event can be used. One of an unknown type is passed over: a later release wrote it, for parts that this one does not have.
 * @throws {UnreadableEvent} of a known type that is newer or damaged
 */
export const isReadable = (event: StoredEvent): event is KnownEvent => {
  if (event.type !== 'Unreadable') return true
  if (event.data.problem === 'unknown_type') return false
  throw new UnreadableEvent(event)
}

/** The event as it is stored. */
export const asStored = (event: StoredEvent): RecordedEvent =>
  event.type === 'Unreadable' ? { ...event, type: event.data.type, data: event.data.data } : event

/** @returns the event in its newest version, or `Unreadable` */
export const parseEvent = (event: RecordedEvent, steps: Upcasters = upcasters): StoredEvent => {
  const { type, metadata } = event
  const schema = eventSchemas.get(type)
  if (!schema) return unreadable(event, 'unknown_type', `no event of this version: ${type}`)
  const newest = newestVersion(type, steps)
  const version = metadata.version ?? 1
  if (version > newest)
    return unreadable(event, 'newer_version', `${type} has version ${version}, this release knows ${newest}`)
  const data = version === newest ? event.data : upcast(event, version, steps)
  const { error } = schema.safeParse(data)
  if (error)
    return unreadable(event, 'invalid_data', `${type} is not as its schema says: ${error.issues[0]!.path.join('.')}`)
  // The schema of this very type has just accepted the data.
  return (data === event.data ? event : { ...event, data }) as KnownEvent
}

const upcast = ({ type, data }: RecordedEvent, version: number, steps: Upcasters): unknown =>
  (steps[type as KnownEvent['type']] ?? []).slice(version - 1).reduce((older, step) => step(older), data)
