// Tests: tests/contract/event-store/postgres.test.ts
/** Converts groups of appends to the arguments of one statement, and to the events that a reader finds after it. */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { EncodedAppend, EncodedCall } from '../encoding.ts'
import type { PositionedEvent } from './positioned-event.ts'

/** The argument of `store.append_one_by_one`. */
export const stepsOf = (calls: readonly EncodedCall[]): string =>
  JSON.stringify(
    calls.map(({ units }) =>
      units.map((unit) => unit.map(({ stream, expected, events }) => ({ stream, expected, events }))),
    ),
  )

/** The events of a group that was appended as a whole, as a reader would find them after the given position. */
export const recordedAfter = <Event extends RecordedEvent>(
  after: number,
  calls: readonly EncodedCall[],
): PositionedEvent<Event>[] => {
  const placed: PositionedEvent<Event>[] = []
  let position = after
  for (const { units } of calls)
    for (const unit of units)
      for (const { stream, expected, events, handedOver } of unit) {
        let revision = expected
        handedOver.forEach((event, index) => {
          position++
          revision++
          const { id, type, data, metadata } = event
          const recorded = { id, type, data, metadata, stream, revision, checkpoint: String(position) }
          // The compiler has checked what the caller appended, in its newest version.
          placed.push({ position, size: events[index]!.data.length, event: recorded as RecordedEvent as Event })
        })
      }
  return placed
}

/**
 * The arguments of `store.append` for a group of calls. Null if the expectations of the group already contradict each other
 * here (two that start at the same revision of a stream). Such a group is appended unit by unit.
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

/** The last event of a group that was appended as a whole after the given position. */
export const lastAfter = (
  after: number,
  appends: readonly EncodedAppend[],
): Pick<RecordedEvent, 'checkpoint' | 'id' | 'stream' | 'revision'> => {
  const { stream, expected, events } = appends.at(-1)!
  const count = appends.reduce((sum, append) => sum + append.events.length, 0)
  return { stream, revision: expected + events.length, id: events.at(-1)!.id, checkpoint: String(after + count) }
}
