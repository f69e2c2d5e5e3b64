// Tests: tests/integration/store-migration/store-migration.test.ts
/**
 * Fills an empty store from a file of another store (`event-file.ts`). The first event written says that an import has
 * begun, and of which file. The last one says that it has ended. Nothing starts on a store between the two. An import
 * of the same file continues an interrupted one: events that exist already count as written, because every append uses
 * the file's event ids.
 *
 * Events are appended in the order of the file, one call after the other. The next call is prepared while one is under
 * way. If a store does not keep the order between the streams of one call, then a stream's events share a call only if
 * no other stream's events lie between them. Read models and quotas depend on the order of events. So at the end the
 * store is compared with the file, event by event. The import does not end before that.
 */
import { isEmailStream } from '../../domain/account/email-claim.ts'
import { isClosing } from '../../domain/erasure.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { importEvents as importSchemas, IMPORT_STREAM, type ImportedFile } from '../../domain/import.ts'
import { NO_STREAM, type EventStore, type StreamAppend } from '../../domain/ports.ts'
import { storePositionOf, type StorePosition } from '../support/store-position.ts'
import { keptFor } from '../../domain/retention.ts'
import { ownCause, stamp } from '../support/stamp.ts'
import { BadFile, eventOfLine, type FiledEvent, type LastLine } from './event-file.ts'
import { pages } from '../support/store-pages.ts'

/** Limits of one call. */
const MOST_EVENTS = 500
const MOST_BYTES = 4 * 1_048_576
/** Limit of one stream in one call: less than an EventStoreDB accepts in one append. */
const MOST_STREAM_BYTES = 524_288

/** This file cannot be imported into this store. */
export class NotImportable extends Error {
  override name = 'NotImportable'
}

export interface ImportOptions {
  store: EventStore<RecordedEvent>
  /** The lines of the file. `checkFile` must have checked them before. */
  lines: () => AsyncIterable<string>
  summary: LastLine
  now: Date
  /** One stream at a time, for a server that does not keep the order of concurrent appends. */
  oneByOne?: boolean
  /** Sets everything that depends on the store. It runs again if the import does. The import ends only after it. */
  settle: (imported: Imported) => Promise<void>
  onProgress?: (events: number) => void
}

export interface Imported {
  /** The position for readers that had processed everything: the last event that is kept permanently. */
  end: StorePosition | null
  /** The position of each reader that the file names. */
  readers: Record<string, StorePosition>
}

export type ImportState = { is: 'none' } | { is: 'unfinished' | 'finished'; file: ImportedFile }

/** The state of an import, from its events in the store. */
export const importState = async (store: Pick<EventStore<RecordedEvent>, 'read'>): Promise<ImportState> => {
  const [events = []] = await store.read([{ stream: IMPORT_STREAM }])
  const [begun, ended] = events
  if (!begun) return { is: 'none' }
  return { is: ended ? 'finished' : 'unfinished', file: importSchemas.ImportBegun.parse(begun.data) }
}

/**
 * @throws {NotImportable} · {BadFile} if the file changes meanwhile · {StoreUnavailable} the same call continues the
 *   import
 */
export const importEvents = async (options: ImportOptions): Promise<void> => {
  const { summary } = options
  const file = { events: summary.events, sha256: summary.sha256 }
  await begin(options, file)
  await appendAll(options)
  await options.settle(await compare(options))
  await writeMarker(options, 'ImportEnded', 0, file)
}

const begin = async (options: ImportOptions, file: ImportedFile): Promise<void> => {
  const { store } = options
  const state = await importState(store)
  if (state.is === 'unfinished') {
    if (state.file.sha256 === file.sha256) return
    throw new NotImportable(
      'the event store contains an unfinished import of another file: continue that import, or start over in an empty store',
    )
  }
  if ((await store.end()) !== null) throw new NotImportable('the event store is not empty')
  await writeMarker(options, 'ImportBegun', NO_STREAM, file)
}

const writeMarker = async (
  { store, now }: ImportOptions,
  type: 'ImportBegun' | 'ImportEnded',
  expectedRevision: number,
  file: ImportedFile,
): Promise<void> => {
  const occasion = { user_id: null, at: now, ...ownCause('import') }
  const events = stamp([{ type, data: file }], occasion)
  const [result] = await store.append([[{ stream: IMPORT_STREAM, expectedRevision, events }]])
  if (!result?.ok) throw new NotImportable('another import into this event store is running')
}

interface Run extends StreamAppend {
  events: FiledEvent[]
}

/** Events that are appended in one call. Consecutive events of a stream form one unit. */
class Call {
  readonly units: [Run][] = []
  readonly #streams = new Set<string>()
  readonly #most: { streams: number; again: boolean }
  #events = 0
  #bytes = 0
  #runBytes = 0

  /** @param most  how many streams, and whether a stream may come again after another one */
  constructor(most: { streams: number; again: boolean }) {
    this.#most = most
  }

  /** @returns false if the event belongs in the next call */
  takes(event: FiledEvent, expectedRevision: number, bytes: number): boolean {
    if (this.#events >= MOST_EVENTS || (this.#events > 0 && this.#bytes + bytes > MOST_BYTES)) return false
    const [run] = this.units.at(-1) ?? []
    if (run?.stream === event.stream && this.#runBytes + bytes <= MOST_STREAM_BYTES) {
      run.events.push(event)
      this.#runBytes += bytes
    } else {
      if (this.#streams.has(event.stream) ? !this.#most.again : this.#streams.size >= this.#most.streams) return false
      this.#streams.add(event.stream)
      this.units.push([{ stream: event.stream, expectedRevision, events: [event] }])
      this.#runBytes = bytes
    }
    this.#events++
    this.#bytes += bytes
    return true
  }
}

const appendAll = async (options: ImportOptions): Promise<void> => {
  const { store, summary, oneByOne = false, onProgress } = options
  const most = { streams: oneByOne ? 1 : MOST_EVENTS, again: store.keepsOrder && !oneByOne }
  // Streams that may have lost their beginning.
  const revisions = new Map<string, number>()
  let call = new Call(most)
  let onItsWay = Promise.resolve()
  const sendCall = async (upTo: number): Promise<void> => {
    await onItsWay
    onItsWay = send(store, call.units).then(() => onProgress?.(upTo))
    onItsWay.catch(() => {}) // it is thrown at the await
    call = new Call(most)
  }
  let taken = 0
  for await (const { event, bytes } of eventsOf(options)) {
    const expected = expectedOf(event, revisions)
    if (!call.takes(event, expected, bytes)) {
      await sendCall(taken)
      call.takes(event, expected, bytes)
    }
    taken++
  }
  if (call.units.length > 0) await sendCall(summary.events)
  await onItsWay
}

async function* eventsOf({ lines, summary }: ImportOptions): AsyncGenerator<{ event: FiledEvent; bytes: number }> {
  let number = 0
  for await (const text of lines()) {
    if (number === summary.events) return
    yield { event: eventOfLine(text, ++number), bytes: Buffer.byteLength(text) }
  }
  throw new BadFile('it became shorter while it was read')
}

const send = async (store: EventStore<RecordedEvent>, units: readonly [Run][]): Promise<void> => {
  const results = await store.append(units)
  results.forEach((result, index) => {
    const [{ stream, expectedRevision }] = units[index]!
    if (result.ok) return
    throw new NotImportable(
      `${stream} is at revision ${result.conflict.revision}, not at ${expectedRevision}: something else writes to this event store`,
    )
  })
}

/**
 * Compares the store with the file. Events with a retention time may already be hidden, and nothing depends on their
 * order.
 */
const compare = async (options: ImportOptions): Promise<Imported> => {
  const { store, summary } = options
  const imported: Imported = { end: null, readers: {} }
  const stored = pages(store)
  let page: RecordedEvent[] = []
  const next = async (): Promise<RecordedEvent | undefined> => {
    for (;;) {
      for (let event = page.shift(); event; event = page.shift())
        if (event.stream !== IMPORT_STREAM && keptFor(event.stream) === null) return event
      const { value, done } = await stored.next()
      if (done) return undefined
      page = value
    }
  }
  for await (const { event } of eventsOf(options)) {
    if (keptFor(event.stream) !== null) continue
    const found = await next()
    if (found?.id !== event.id || found.stream !== event.stream) throw new NotImportable(OUT_OF_ORDER)
    imported.end = storePositionOf(found)
    for (const [reader, id] of Object.entries(summary.readers))
      if (id === event.id) imported.readers[reader] = imported.end
  }
  if (await next()) throw new NotImportable('something else has written to this event store')
  return imported
}

const OUT_OF_ORDER =
  'the events are stored in a different order than they were sent: start over in an empty store, with --one-by-one'

/**
 * Permanent streams keep their revisions, because an attempt names its account's state by revision. A closing event
 * stands alone. Streams that may have lost their beginning are numbered anew: those with a retention time, and the claims
 * of an email, which the deletion of its account erases.
 */
const expectedOf = ({ stream, revision, type }: FiledEvent, revisions: Map<string, number>): number => {
  if (isClosing(type)) return NO_STREAM
  if (keptFor(stream) === null && !isEmailStream(stream)) return revision - 1
  const expected = revisions.get(stream) ?? NO_STREAM
  revisions.set(stream, expected + 1)
  return expected
}
