/**
 * Events on their way into the store: checked and turned into text once, when the caller hands them over, so that a bad one
 * is its own caller's error and never that of the group it would have travelled in.
 */
import type { Metadata, NewEvent } from '../../../domain/event.ts'
import type { Unit } from '../../../domain/ports.ts'
import type { Placed } from './placed.ts'

/** The same as EventStoreDB's: what one store takes the other takes too. */
const MOST_EVENT_BYTES = 1_048_576
const MOST_CALL_BYTES = 16 * 1_048_576
/** A name must fit into an index entry. */
const MOST_NAME_LENGTH = 500

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Control characters would break the lines of a group; a lone surrogate does not survive the way to the server. */
const NOT_IN_NAMES = /[\u0000-\u001f]|\p{Cs}/u

export interface EncodedEvent {
  id: string
  type: string
  /** JSON; never holds a line break. */
  data: string
  metadata: string
}

/** One stream of a unit, as handed over and as text. */
export interface EncodedAppend {
  stream: string
  expected: number
  events: EncodedEvent[]
  handedOver: readonly NewEvent[]
}

export type EncodedUnit = EncodedAppend[]

export interface EncodedCall {
  units: EncodedUnit[]
  /** Rough size, for bounding groups. */
  bytes: number
}

/** @throws {RangeError} when it cannot be the name of a stream or an event type */
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
 * @throws {RangeError} for a bad name, id, revision or an empty unit, and for an event over 1 MiB
 * @throws {TypeError} for data that is not JSON
 */
export const encode = (units: readonly Unit[]): EncodedCall => {
  let bytes = 0
  // The events of one decision share their metadata, so most of the time the last text fits again.
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
    return unit.map(({ stream, expectedRevision, events }) => {
      if (events.length === 0) throw new RangeError(`nothing to append to ${stream}`)
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

/** The argument of `store.append_one_by_one`. */
export const stepsOf = (calls: readonly EncodedCall[]): string =>
  JSON.stringify(
    calls.map(({ units }) =>
      units.map((unit) => unit.map(({ stream, expected, events }) => ({ stream, expected, events }))),
    ),
  )

/** The events of a group that went in whole, as a reader would find them behind a place. */
export const recordedAfter = (place: number, calls: readonly EncodedCall[]): Placed[] => {
  const placed: Placed[] = []
  let position = place
  for (const { units } of calls)
    for (const unit of units)
      for (const { stream, expected, events, handedOver } of unit) {
        let revision = expected
        handedOver.forEach((event, index) => {
          position++
          revision++
          const { id, type, data, metadata } = event
          const recorded = { id, type, data, metadata, stream, revision, checkpoint: String(position) }
          placed.push({ position, size: events[index]!.data.length, event: recorded })
        })
      }
  return placed
}

/**
 * The arguments of `store.append` for a group of calls, or null where the expectations of the group contradict each other
 * already here (two that start at the same revision of a stream): that group goes unit by unit.
 */
export const groupLines = (calls: readonly EncodedCall[]): string[] | null => {
  const first = new Map<string, number>()
  const next = new Map<string, number>()
  const streams: string[] = []
  const revisions: number[] = []
  const ids: string[] = []
  const types: string[] = []
  const data: string[] = []
  const metadata: string[] = []
  for (const call of calls)
    for (const unit of call.units)
      for (const { stream, expected, events } of unit) {
        const known = next.get(stream)
        if (known === undefined) first.set(stream, expected)
        else if (known !== expected) return null
        next.set(stream, expected + events.length)
        let revision = expected
        for (const event of events) {
          streams.push(stream)
          revisions.push(++revision)
          ids.push(event.id)
          types.push(event.type)
          data.push(event.data)
          metadata.push(event.metadata)
        }
      }
  return [[...first.keys()], [...first.values()], streams, revisions, ids, types, data, metadata].map((column) =>
    column.join('\n'),
  )
}
