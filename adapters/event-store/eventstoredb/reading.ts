// Tests: tests/contract/event-store/eventstoredb.test.ts
/** Reads slices of streams concurrently, all events page by page, and the newest event. */
import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  StreamNotFoundError,
  type AllStreamRecordedEvent,
  type Position,
  type ReadStreamOptions,
  type StreamingRead,
} from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Slice } from '../../../domain/ports.ts'
import { checkName } from '../encoding.ts'
import type { Parse } from '../parse.ts'
import type { Attempt, Connection } from './connection.ts'
import { isAfter } from './position.ts'
import { recorded } from './recorded.ts'

/** Concurrent reads of streams. More would make each read slower without a higher total speed. */
const SIDE_BY_SIDE = 32
const PAGE = 1_000
/** The server's own events are in between ours, so a page must not be too small. */
const LEAST_PAGE = 64

/** Reads go to the leader. A decision that is based on a follower's outdated state would only conflict. */
const OF_THE_LEADER = { requiresLeader: true } as const

type Answered = <Result>(attempt: () => Promise<Result>) => Promise<Result>

/** Reads to the end. A read may take long, as long as parts of it keep arriving. */
const collect = async <Found>(
  { received: heard, checkWhole }: Attempt,
  reading: StreamingRead<Found>,
): Promise<Found[]> => {
  const found: Found[] = []
  for await (const one of reading) {
    heard()
    found.push(one)
  }
  checkWhole()
  return found
}

export class Reading<Event extends RecordedEvent = RecordedEvent> {
  readonly #connection: Connection
  readonly #prefix: string
  readonly #answered: Answered
  readonly #parse: Parse<Event>
  #newest: Position | null = null

  /** @param prefix  the prefix of every stream's name · @param answered  retries while the server is unavailable */
  constructor(connection: Connection, prefix: string, answered: Answered, parse: Parse<Event>) {
    this.#connection = connection
    this.#prefix = prefix
    this.#answered = answered
    this.#parse = parse
  }

  /** Remembers that one of our events is at this position, so that a search for the newest event can stop there. */
  knows(position: Position): void {
    if (this.#newest === null || isAfter(position, this.#newest)) this.#newest = position
  }

  async slices(slices: readonly Slice[]): Promise<Event[][]> {
    const names = slices.map(({ stream }) => checkName(stream))
    const found: Event[][] = []
    let next = 0
    const reader = async (): Promise<void> => {
      for (let index = next++; index < slices.length; index = next++)
        found[index] = await this.#answered(() => this.#slice(names[index]!, slices[index]!))
    }
    await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, slices.length) }, reader))
    return found
  }

  /** At most `limit` of our events after a position (null means from the start). */
  async all(after: Position | null, limit: number): Promise<Event[]> {
    const events: Event[] = []
    let from = after
    while (events.length < limit) {
      const count = Math.min(PAGE, Math.max(LEAST_PAGE, limit - events.length + 1))
      const start = from
      const page = await this.#answered(() => this.#page(FORWARDS, start ?? START, count))
      for (const event of page) {
        // A read from a position includes the event at that position.
        if (from !== null && !isAfter(event.position, from)) continue
        from = event.position
        if (event.streamId.startsWith(this.#prefix) && events.length < limit)
          events.push(this.#parse(recorded(event, event.streamId.slice(this.#prefix.length))))
      }
      if (page.length < count) break
    }
    return events
  }

  /** Position of our newest event. */
  async end(): Promise<Position | null> {
    let before: Position | null = null
    for (let count = LEAST_PAGE; ; count = PAGE) {
      const start: Position | null = before
      const page: AllStreamRecordedEvent[] = await this.#answered(() => this.#page(BACKWARDS, start ?? END, count))
      const newest = page.find(({ streamId }) => streamId.startsWith(this.#prefix))
      if (newest) this.knows(newest.position)
      before = page.at(-1)?.position ?? null
      const isKnown = before !== null && this.#newest !== null && !isAfter(before, this.#newest)
      if (newest || isKnown || page.length < count) return this.#newest
    }
  }

  async #slice(stream: string, { from = 0, backwards = false, limit }: Slice): Promise<Event[]> {
    if (limit === 0) return []
    const where: Pick<ReadStreamOptions, 'direction' | 'fromRevision'> = backwards
      ? { direction: BACKWARDS, fromRevision: END }
      : { direction: FORWARDS, fromRevision: BigInt(from) }
    const most = limit === undefined ? {} : { maxCount: limit }
    try {
      const found = await this.#connection.call((attempt) => {
        const reading = attempt.client.readStream(this.#prefix + stream, { ...where, ...most, ...OF_THE_LEADER })
        attempt.onGivenUp = () => void reading.cancel()
        return collect(attempt, reading)
      })
      return found.flatMap(({ event }) => (event ? [this.#parse(recorded(event, stream))] : []))
    } catch (error) {
      if (error instanceof StreamNotFoundError) return []
      throw error
    }
  }

  async #page(
    direction: typeof FORWARDS | typeof BACKWARDS,
    fromPosition: Position | typeof START | typeof END,
    maxCount: number,
  ): Promise<AllStreamRecordedEvent[]> {
    const found = await this.#connection.call((attempt) => {
      const reading = attempt.client.readAll({ direction, fromPosition, maxCount, ...OF_THE_LEADER })
      attempt.onGivenUp = () => void reading.cancel()
      return collect(attempt, reading)
    })
    return found.flatMap(({ event }) => event ?? [])
  }
}
