// Tests: tests/contract/event-store/eventstoredb.test.ts
/**
 * The units of a call. Units are appended concurrently; the streams of one unit one after the other; the appends to one
 * stream in order (`append-queue.ts`).
 */
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { Unit, UnitResult } from '../../../domain/ports.ts'
import { encode, type EncodedAppend } from '../encoding.ts'
import { untilAnswered } from '../until-answered.ts'
import { AppendQueue, type Turn } from './append-queue.ts'
import { isOutage } from './outage.ts'
import type { Reading } from './reading.ts'
import { proposed } from './event-conversion.ts'
import { appendToStream, type StreamAppendParts } from './stream-append.ts'
import type { Part } from './stream-writer.ts'

/** The largest append with the server's default settings. */
const MOST_APPEND_BYTES = 1_048_576
/** The most bytes that may wait for an unavailable server. Beyond that, further appends are refused at once. */
const MOST_WAITING_BYTES = 64 * 1_048_576

/** Counted as the server does: an event's type as UTF-16. */
const sizeOf = ({ events }: EncodedAppend): number =>
  events.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  )

export interface UnitParts extends StreamAppendParts {
  reading: Reading
}

/** @param deadlineMs  how long an append may wait for an unavailable server, in milliseconds */
export const openUnits = (parts: UnitParts, deadlineMs: number, closing: AbortSignal) => {
  let waitingBytes = 0

  /**
   * @throws {StoreUnavailable} if the outcome is not known in time, or if too much is already waiting
   * @throws {RangeError} for invalid arguments, before anything is sent
   */
  const append = async (units: readonly Unit[]): Promise<UnitResult[]> => {
    if (units.length === 0) return []
    const call = encode(units)
    const split = call.units.map((unit) => unit.map((one, n) => partOf(one, n === unit.length - 1)))
    if (closing.aborted) throw new StoreUnavailable('the event store is closed')
    if (waitingBytes > MOST_WAITING_BYTES)
      throw new StoreUnavailable('too many appends are waiting for the event store')
    waitingBytes += call.bytes
    try {
      return await appendAll(split)
    } finally {
      waitingBytes -= call.bytes
    }
  }

  const appendAll = async (units: readonly Part[][]): Promise<UnitResult[]> => {
    const deadline = performance.now() + deadlineMs
    const answered = <Result>(attempt: () => Promise<Result>): Promise<Result> =>
      untilAnswered(attempt, { isOutage, closing, deadlineMs: Math.max(0, deadline - performance.now()) })
    const queues = new Map<string, AppendQueue>()
    const queueOf = (stream: string): AppendQueue => {
      let queue = queues.get(stream)
      if (!queue) {
        queue = new AppendQueue(stream, {
          append: (name, expected, events) => appendToStream(parts, answered, name, expected, events),
          read: async (slice) => (await parts.reading.slices([slice]))[0]!,
          mostBytes: MOST_APPEND_BYTES,
        })
        queues.set(stream, queue)
      }
      return queue
    }
    const turns = units.map((unit) => unit.map((part) => queueOf(part.stream).enter(part)))
    return Promise.all(turns.map(inOrder))
  }

  return { append }
}

export type Units = ReturnType<typeof openUnits>

const partOf = (append: EncodedAppend, isLast: boolean): Part => {
  const bytes = sizeOf(append)
  if (bytes > MOST_APPEND_BYTES)
    throw new RangeError(`more than ${MOST_APPEND_BYTES} bytes in one append to ${append.stream}`)
  const { stream, expected, handedOver } = append
  const events = handedOver.map((event, n) => proposed(event, append.events[n]!.metadata))
  return { stream, expected, events, bytes, isLast }
}

const inOrder = async (turns: readonly Turn[]): Promise<UnitResult> => {
  let result: UnitResult | undefined
  for (const [index, turn] of turns.entries()) {
    const abandonRest = (): void => turns.slice(index + 1).forEach((rest) => rest.abandon())
    try {
      result = await turn.append()
    } catch (error) {
      abandonRest()
      throw error
    }
    if (result.ok) continue
    abandonRest()
    return result
  }
  return result!
}
