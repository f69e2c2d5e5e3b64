// Tests: tests/contract/event-store/postgres.test.ts
/**
 * Events before they are stored. They are checked and turned into text once, when the caller hands them over. So a bad event
 * fails only its own caller, and never the whole group that it would be sent with.
 */
import type { Metadata, NewEvent } from '../../domain/event.ts'
import type { Unit } from '../../domain/ports.ts'

/** The same limits as EventStoreDB's, so that both stores accept the same events. */
const MOST_EVENT_BYTES = 1_048_576
const MOST_CALL_BYTES = 16 * 1_048_576
/** A name must fit into an index entry. */
const MOST_NAME_LENGTH = 500

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Control characters would break the lines of a group. A lone surrogate cannot be sent to the server unchanged. */
const NOT_IN_NAMES = /[\u0000-\u001f]|\p{Cs}/u

export interface EncodedEvent {
  id: string
  type: string
  /** JSON that never contains a line break. */
  data: string
  metadata: string
}

/** One stream of a unit: its events as the caller gave them, and as text. */
export interface EncodedAppend {
  stream: string
  expected: number
  events: EncodedEvent[]
  handedOver: readonly NewEvent[]
}

export type EncodedUnit = EncodedAppend[]

export interface EncodedCall {
  units: EncodedUnit[]
  /** Approximate size, used to limit groups. */
  bytes: number
}

/** @throws {RangeError} if it cannot be the name of a stream or an event type */
export const checkName = (name: string): string => {
  if (name === '' || name.length > MOST_NAME_LENGTH || NOT_IN_NAMES.test(name))
    throw new RangeError(`not a name of a stream or a type: ${JSON.stringify(name.slice(0, 100))}`)
  return name
}

const json = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new RangeError('an event without data')
  return text
}

/**
 * @param comparesUnwritten  whether streams may get no event, except the last one of several in a unit
 * @throws {RangeError} for a bad name, id or revision, an empty unit, an event over 1 MiB, or a call over 16 MiB
 * @throws {TypeError} for data that is not JSON
 */
export const encode = (units: readonly Unit[], { comparesUnwritten = false } = {}): EncodedCall => {
  let bytes = 0
  // The events of one decision share their metadata, so its text is usually the same as for the previous event.
  let metadata: Metadata | undefined
  let metadataText = ''
  const encodeEvent = (event: NewEvent): EncodedEvent => {
    if (!UUID.test(event.id)) throw new RangeError(`not an event id: ${JSON.stringify(event.id)}`)
    if (event.metadata !== metadata) metadataText = json((metadata = event.metadata))
    const data = json(event.data)
    const size = data.length + metadataText.length
    if (size > MOST_EVENT_BYTES / 3 && Buffer.byteLength(data) + Buffer.byteLength(metadataText) > MOST_EVENT_BYTES)
      throw new RangeError(`an event of more than ${MOST_EVENT_BYTES} bytes: ${event.type}`)
    bytes += size
    return { id: event.id, type: checkName(event.type), data, metadata: metadataText }
  }
  const encoded = units.map((unit) => {
    if (unit.length === 0) throw new RangeError('a unit without events')
    return unit.map(({ stream, expectedRevision, events }, n) => {
      const mayBeEmpty = comparesUnwritten && (n < unit.length - 1 || n === 0)
      if (events.length === 0 && !mayBeEmpty) throw new RangeError(`nothing to append to ${stream}`)
      if (!Number.isSafeInteger(expectedRevision) || expectedRevision < -1)
        throw new RangeError(`not a revision: ${expectedRevision}`)
      return {
        stream: checkName(stream),
        expected: expectedRevision,
        events: events.map(encodeEvent),
        handedOver: events,
      }
    })
  })
  if (bytes > MOST_CALL_BYTES) throw new RangeError(`more than ${MOST_CALL_BYTES} bytes in one call`)
  return { units: encoded, bytes }
}
