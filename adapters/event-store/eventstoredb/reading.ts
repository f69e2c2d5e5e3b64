// Tests: tests/contract/event-store/eventstoredb.test.ts
/** Reads slices of streams concurrently, all events page by page, and the newest events. */
import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type Position,
  type ReadStreamOptions,
  type StreamingRead,
} from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Slice } from '../../../domain/ports.ts'
import { checkName } from '../encoding.ts'
import type { Parse } from '../parse.ts'
import type { Answered } from '../until-answered.ts'
import { sizeOf } from './received-event.ts'
import type { Attempt, Connection } from './connection.ts'
import type { Names } from './stream-names.ts'
import { isAfter } from './position.ts'
import { recorded, tombstone } from './event-conversion.ts'

/** Concurrent reads of streams. More would make each read slower without a higher total speed. */
const SIDE_BY_SIDE = 32
const PAGE = 1_000
/** The server's own events are in between ours, so a page must not be too small. */
const LEAST_PAGE = 64

/** Reads go to the leader. A decision that is based on a follower's outdated state would only conflict. */
const OF_THE_LEADER = { requiresLeader: true } as const

/**
 * Reads to the end. A read may take long, as long as parts of it keep arriving.
 * @param isLast  whether to end the read after this part
 */
const collect = async <Found>(
  attempt: Attempt,
  reading: StreamingRead<Found>,
  isLast: (one: Found) => boolean = () => false,
): Promise<Found[]> => {
  // Ending a read that has not found a node fails with the error of the discovery.
  attempt.onGivenUp = () => void reading.cancel().catch(() => {})
  const found: Found[] = []
  for await (const one of reading) {
    attempt.received()
    found.push(one)
    if (isLast(one)) break
  }
  attempt.checkWhole()
  return found
}

/** The newest events of a stream, by its name on the server, the newest first. None if there is no such stream. */
export const newestIn = async (connection: Connection, stream: string, maxCount = 1) => {
  const options = { direction: BACKWARDS, fromRevision: END, maxCount, ...OF_THE_LEADER } as const
  try {
    const found = await connection.call((attempt) => collect(attempt, attempt.client.readStream(stream, options)))
    return found.flatMap(({ event }) => event ?? [])
  } catch (error) {
    if (error instanceof StreamNotFoundError) return []
    throw error
  }
}

/** The event that reaches `mostBytes` ends the page. */
const readPage = async (
  connection: Connection,
  direction: typeof FORWARDS | typeof BACKWARDS,
  fromPosition: Position | typeof START | typeof END,
  maxCount: number,
  mostBytes = Infinity,
): Promise<{ page: AllStreamRecordedEvent[]; isEnd: boolean }> => {
  const options = { direction, fromPosition, maxCount, ...OF_THE_LEADER }
  let bytes = 0
  let isFirst = true
  const reachesMost = ({ event }: AllStreamResolvedEvent): boolean => {
    // The first event may be the one at the position itself, so it alone never ends a page.
    if (mostBytes < Infinity && !isFirst) bytes += sizeOf(event?.data)
    isFirst = false
    return bytes >= mostBytes
  }
  const found = await connection.call((attempt) => {
    bytes = 0
    isFirst = true
    return collect(attempt, attempt.client.readAll(options), reachesMost)
  })
  return { page: found.flatMap(({ event }) => event ?? []), isEnd: found.length < maxCount && bytes < mostBytes }
}

export const openReading = <Event extends RecordedEvent = RecordedEvent>(
  connection: Connection,
  names: Names,
  answered: Answered,
  parse: Parse<Event>,
) => {
  const readSlices = async (slices: readonly Slice[]): Promise<Event[][]> => {
    const names = slices.map(({ stream }) => checkName(stream))
    const found: Event[][] = []
    let next = 0
    const reader = async (): Promise<void> => {
      for (let index = next++; index < slices.length; index = next++)
        found[index] = await answered(() => slice(names[index]!, slices[index]!))
    }
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, slices.length) }, reader))
    return found
  }

  /** At most `limit` of our events after a position (null means from the start). The one that reaches `mostBytes` is the last. */
  const all = async (after: Position | null, limit: number, mostBytes = Infinity): Promise<Event[]> => {
    const events: Event[] = []
    let from = after
    let bytes = 0
    while (events.length < limit && bytes < mostBytes) {
      const count = Math.min(PAGE, Math.max(LEAST_PAGE, limit - events.length + 1))
      const start = from
      const { page, isEnd } = await answered(() => readPage(connection, FORWARDS, start ?? START, count, mostBytes))
      for (const event of page) {
        // A read from a position includes the event at that position.
        if (from !== null && !isAfter(event.position, from)) continue
        from = event.position
        const stream = names.of(event)
        if (stream === null) continue
        if (mostBytes < Infinity) bytes += sizeOf(event.data)
        events.push(parse(recorded(event, stream)))
        if (events.length === limit || bytes >= mostBytes) break
      }
      if (isEnd) break
    }
    return events
  }

  /** The newest events of all programs that use the server, the newest first. */
  const newest = async (count: number): Promise<AllStreamRecordedEvent[]> =>
    (await readPage(connection, BACKWARDS, END, count)).page

  const slice = async (stream: string, { from = 0, backwards = false, limit }: Slice): Promise<Event[]> => {
    if (limit === 0) return []
    const where: Pick<ReadStreamOptions, 'direction' | 'fromRevision'> = backwards
      ? { direction: BACKWARDS, fromRevision: END }
      : { direction: FORWARDS, fromRevision: BigInt(from) }
    const most = limit === undefined ? {} : { maxCount: limit }
    try {
      const found = await connection.call((attempt) => {
        const options = { ...where, ...most, ...OF_THE_LEADER }
        return collect(attempt, attempt.client.readStream(names.onServer(stream), options))
      })
      return found.flatMap(({ event }) => (event && names.of(event) !== null ? [parse(recorded(event, stream))] : []))
    } catch (error) {
      if (error instanceof StreamNotFoundError) return []
      if (error instanceof StreamDeletedError) return [parse(tombstone(stream))]
      throw error
    }
  }

  return { slices: readSlices, all, newest }
}

export type Reading<Event extends RecordedEvent = RecordedEvent> = ReturnType<typeof openReading<Event>>
