/**
 * Reads any number of slices of any length in statements that are each short. A statement returns at most so many bytes and, of each
 * slice, so many events. It reads fewer slices after one was cut or took too long, and more again after one was whole. Nearly every read
 * is one statement.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Slice } from '../../../domain/ports.ts'
import type { Answered } from '../until-answered.ts'

const MOST_BYTES = 8 * 1_048_576
const MOST_SLICES = 4_096
const MOST_EVENTS = 8_192

/** The result of one statement. */
export interface Piece<Event> {
  events: Event[][]
  /** Index of the last slice with events; -1: none has any. */
  reached: number
  /** Bytes of data. If they reach the limit, slices after `reached` may be missing, and that slice may go on. */
  bytes: number
}

export interface Bounds {
  /** The statement ends after this many bytes of data. */
  mostBytes: number
  /** Most events of each slice that is read forwards. */
  mostEvents: number
}

export type ReadPiece<Event> = (slices: readonly Slice[], bounds: Bounds) => Promise<Piece<Event>>

export interface BoundedReadingParts<Event> {
  readPiece: ReadPiece<Event>
  /** Whether an error means that the statement took too long. */
  isTooLong: (error: unknown) => boolean
  /** Retries while the server is unavailable. */
  answered: Answered
  mostBytes?: number
}

/** A slice, or what remains to be read of it. */
interface Remaining {
  slice: Slice
  index: number
  /** It is read backwards and does not fit beside others. */
  isAlone?: true
}

export class BoundedReading<Event extends RecordedEvent> {
  readonly #parts: Required<BoundedReadingParts<Event>>
  #mostSlices = MOST_SLICES
  #mostEvents = MOST_EVENTS

  constructor(parts: BoundedReadingParts<Event>) {
    this.#parts = { mostBytes: MOST_BYTES, ...parts }
  }

  async read(slices: readonly Slice[]): Promise<Event[][]> {
    const found: Event[][] = slices.map(() => [])
    let rest: Remaining[] = slices.map((slice, index) => ({ slice, index }))
    while (rest.length > 0) {
      const { some, mostEvents, piece } = await this.#parts.answered(() => this.#attempt(rest))
      const isCut = piece.bytes >= this.#parts.mostBytes && !some[0]!.isAlone
      const goesOn: Remaining[] = []
      some.forEach((remaining, n) => {
        const events = piece.events[n]!
        if (isCut && n > piece.reached) return goesOn.push(remaining)
        const isPart = isCut && n === piece.reached
        if (isPart && remaining.slice.backwards) return goesOn.push({ ...remaining, isAlone: true })
        found[remaining.index]!.push(...events)
        const next = isPart || events.length === mostEvents ? after(remaining, events) : null
        if (next) goesOn.push(next)
        return undefined
      })
      this.#mostSlices = isCut ? Math.max(1, 2 * piece.reached) : Math.min(MOST_SLICES, 2 * this.#mostSlices)
      rest = [...goesOn, ...rest.slice(some.length)]
    }
    return found
  }

  async #attempt(rest: readonly Remaining[]): Promise<{ some: Remaining[]; mostEvents: number; piece: Piece<Event> }> {
    const some = rest.slice(0, rest[0]!.isAlone ? 1 : this.#mostSlices)
    const mostEvents = this.#mostEvents
    const mostBytes = some[0]!.isAlone ? Number.MAX_SAFE_INTEGER : this.#parts.mostBytes
    try {
      const piece = await this.#parts.readPiece(
        some.map(({ slice }) => slice),
        { mostBytes, mostEvents },
      )
      if (mostEvents === this.#mostEvents) this.#mostEvents = Math.min(MOST_EVENTS, 2 * mostEvents)
      return { some, mostEvents, piece }
    } catch (error) {
      if (this.#parts.isTooLong(error)) {
        if (some.length === 1) this.#mostEvents = Math.max(1, mostEvents >> 1)
        this.#mostSlices = Math.max(1, some.length >> 1)
      }
      throw error
    }
  }
}

/** The rest of a slice after these events; null if it was wanted up to there. */
const after = ({ slice, index }: Remaining, events: readonly RecordedEvent[]): Remaining | null => {
  const last = events.at(-1)
  if (slice.backwards || !last) return null
  const from = last.revision + 1
  if (slice.limit === undefined) return { index, slice: { ...slice, from } }
  const limit = slice.limit - events.length
  return limit > 0 ? { index, slice: { ...slice, from, limit } } : null
}
