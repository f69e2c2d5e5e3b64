// Tests: tests/contract/event-store/postgres.test.ts
/** Reads slices of streams, and pages of the whole store. */
import type { Metadata, RecordedEvent } from '../../../domain/event.ts'
import type { Checkpoint, Slice } from '../../../domain/ports.ts'
import type { Queryable } from '../../database/database.ts'
import { checkName } from '../encoding.ts'
import { jsonIn, type Parse } from '../parse.ts'
import type { Bounds, Piece } from './bounded-reading.ts'
import type { PositionedEvent } from './positioned-event.ts'

/** A page ends before it exceeds this many bytes of data (its first event always fits). */
const MOST_PAGE_BYTES = 8 * 1_048_576
/** A filtered page looks at most this many positions ahead, so that no page takes long if few events match. */
const SPAN = 20_000

export interface Page<Event extends RecordedEvent = RecordedEvent> {
  events: PositionedEvent<Event>[]
  /** All events up to here were read: the position of the last event, or a later one if nothing more matched. */
  to: number
  /** Position of the newest event at the time of reading. */
  head: number
}

/**
 * The position that a checkpoint names. Null gives 0, before the first event. @throws {RangeError} if this store never issued
 * it
 */
export const positionOf = (checkpoint: Checkpoint | null): number => {
  if (checkpoint === null) return 0
  if (!/^(0|[1-9]\d{0,15})$/.test(checkpoint)) throw new RangeError(`not a checkpoint of this store: ${checkpoint}`)
  return Number(checkpoint)
}

interface EventRow {
  id: string
  revision: number
  type: string
  data: string
  metadata: string
}

const recordedOf = (row: EventRow, stream: string, checkpoint: Checkpoint): RecordedEvent => ({
  id: row.id,
  type: row.type,
  data: jsonIn(row.data),
  metadata: jsonIn(row.metadata) as Metadata,
  stream,
  revision: row.revision,
  checkpoint,
})

type SliceRow = EventRow & { slice: number; position: string }

/** The rows come slice by slice. The statement ends with the row that reaches `$4` bytes. */
const READ = `
  SELECT slice, position, id, revision, type, data, metadata
  FROM (SELECT *, sum(octet_length(data)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM store.read($1, $2, $3)) r
  WHERE bytes - octet_length(data) < $4`

/** One statement. */
export const readSlices = async <Event extends RecordedEvent>(
  database: Queryable,
  slices: readonly Slice[],
  parse: Parse<Event>,
  { mostBytes, mostEvents }: Bounds,
): Promise<Piece<Event>> => {
  if (slices.length === 0) return { events: [], reached: -1, bytes: 0 }
  const rows = await database.query<SliceRow>(
    READ,
    [
      slices.map(({ stream }) => checkName(stream)).join('\n'),
      slices.map(({ from, backwards }) => (backwards ? '-' : (from ?? 0))).join('\n'),
      slices
        .map(({ limit, backwards }) => (backwards ? (limit ?? '-') : Math.min(limit ?? mostEvents, mostEvents)))
        .join('\n'),
      mostBytes,
    ],
    'store_read',
  )
  const found: Event[][] = slices.map(() => [])
  let bytes = 0
  for (const row of rows) {
    bytes += Buffer.byteLength(row.data)
    found[row.slice]!.push(parse(recordedOf(row, slices[row.slice]!.stream, row.position)))
  }
  // The statement returns each slice in order but does not guarantee it. Sorting sorted rows costs nothing.
  found.forEach((events, index) =>
    events.sort(slices[index]!.backwards ? (a, b) => b.revision - a.revision : (a, b) => a.revision - b.revision),
  )
  return { events: found, reached: rows.at(-1)?.slice ?? -1, bytes }
}

/** One row contains only the head. Its id is null. */
type PageRow = { position: number } & ((EventRow & { stream: string }) | { id: null })

/**
 * Events after a position, in order.
 * @param most  the largest number of events · @param prefixes of streams; undefined means all streams
 * @param share  of a whole page's bytes and positions
 */
export const readPage = async <Event extends RecordedEvent>(
  database: Queryable,
  parse: Parse<Event>,
  after: number,
  most: number,
  prefixes?: readonly string[],
  share = 1,
): Promise<Page<Event>> => {
  const span = prefixes ? Math.max(Math.ceil(SPAN * share), most) : Number.MAX_SAFE_INTEGER - after
  const mostBytes = Math.ceil(MOST_PAGE_BYTES * share)
  const rows = await database.query<PageRow>(
    'SELECT * FROM store.page($1, $2, $3, $4, $5)',
    [after, span, most, mostBytes, prefixes ?? null],
    'store_page',
  )
  const page: Page<Event> = { events: [], to: after, head: 0 }
  let bytes = 0
  for (const row of rows) {
    const { position } = row
    if (row.id === null) {
      page.head = position
      continue
    }
    const size = Buffer.byteLength(row.data)
    bytes += size
    page.events.push({ position, size, event: parse(recordedOf(row, row.stream, String(position))) })
  }
  const isCut = page.events.length === most || bytes >= mostBytes
  page.to = isCut ? page.events.at(-1)!.position : Math.max(after, Math.min(after + span, page.head))
  return page
}
