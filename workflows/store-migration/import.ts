/**
 * Fills an empty store from a file of another one (`event-file.ts`). The first thing written says that an import has begun, and
 * which file it is of; the last says that it has ended. Nothing starts on a store between the two. An import of the same file
 * goes on with one that broke off: what stands already is taken as written, as every append is under its event ids.
 *
 * Events are appended in the file's order, one call after the other; the next is made while one is on its way. Where a store
 * puts the streams of one call side by side, a stream's events go into one call only where no other's lie between them. Read
 * models and quotas follow the order of events, so at the end the store is read and compared with the file, event by event;
 * before that the import has not ended.
 */
import { isClosing } from '../../domain/erasure.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { importEvents as importSchemas, IMPORT_STREAM, type ImportedFile } from '../../domain/import.ts'
import { NO_STREAM, type EventStore, type StreamAppend } from '../../domain/ports.ts'
import { placeOf, type Place } from '../support/store-position.ts'
import { keptFor } from '../scheduled/expire-events.ts'
import { stamp } from '../support/stamp.ts'
import { BadFile, eventOfLine, type FiledEvent, type LastLine } from './event-file.ts'
import { pages } from './pages.ts'

/** Of one call. */
const MOST_EVENTS = 500
const MOST_BYTES = 4 * 1_048_576
/** Of one stream in one call: less than an EventStoreDB takes in one append. */
const MOST_STREAM_BYTES = 524_288

/** The store is not one that this file can be brought into. */
export class NotImportable extends Error {
  override name = 'NotImportable'
}

export interface ImportOptions {
  store: EventStore<RecordedEvent>
  /** Checked before, by `checkFile`. */
  lines: () => AsyncIterable<string>
  told: LastLine
  now: Date
  /** One stream at a time, for a server that keeps no order among appends sent together. */
  oneByOne?: boolean
  /** Sets what follows the store; done again when the import is. Only after it the import has ended. */
  settle: (imported: Imported) => Promise<void>
  onProgress?: (events: number) => void
}

export interface Imported {
  /** Where readers that had met everything begin: at the last event that is kept for good. */
  end: Place | null
  /** Where each reader that the file names had come to. */
  readers: Record<string, Place>
}

export type ImportState = { is: 'none' } | { is: 'unfinished' | 'finished'; file: ImportedFile }

/** What a store reports about an import. */
export const importState = async (store: Pick<EventStore<RecordedEvent>, 'read'>): Promise<ImportState> => {
  const [events = []] = await store.read([{ stream: IMPORT_STREAM }])
  const [begun, ended] = events
  if (!begun) return { is: 'none' }
  return { is: ended ? 'finished' : 'unfinished', file: importSchemas.ImportBegun.parse(begun.data) }
}

/** @throws {NotImportable} · {BadFile} where the file changes meanwhile · {StoreUnavailable} the same call goes on */
export const importEvents = async (options: ImportOptions): Promise<void> => {
  const { told } = options
  const file = { events: told.events, sha256: told.sha256 }
  await begin(options, file)
  await appendAll(options)
  await options.settle(await compare(options))
  await say(options, 'ImportEnded', 0, file)
}

const begin = async (options: ImportOptions, file: ImportedFile): Promise<void> => {
  const { store } = options
  const state = await importState(store)
  if (state.is === 'unfinished') {
    if (state.file.sha256 === file.sha256) return
    throw new NotImportable(
      'the event store holds the beginning of an import of another file: go on with that one, or begin again in an empty store',
    )
  }
  if ((await store.end()) !== null) throw new NotImportable('the event store is not empty')
  await say(options, 'ImportBegun', NO_STREAM, file)
}

const say = async (
  { store, now }: ImportOptions,
  type: 'ImportBegun' | 'ImportEnded',
  expectedRevision: number,
  file: ImportedFile,
): Promise<void> => {
  const occasion = { user_id: null, at: now, correlation_id: 'import', causation_id: 'import' }
  const events = stamp([{ type, data: file }], occasion)
  const [result] = await store.append([[{ stream: IMPORT_STREAM, expectedRevision, events }]])
  if (!result?.ok) throw new NotImportable('another import runs into this event store')
}

interface Run extends StreamAppend {
  events: FiledEvent[]
}

/** Events that go into the store by one call: those that follow each other on a stream as one unit. */
class Call {
  readonly units: [Run][] = []
  readonly #streams = new Set<string>()
  readonly #most: { streams: number; again: boolean }
  #events = 0
  #bytes = 0
  #runBytes = 0

  /** @param most  how many streams, and whether one may come again after another */
  constructor(most: { streams: number; again: boolean }) {
    this.#most = most
  }

  /** @returns false where it belongs into the next call */
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
  const { store, told, oneByOne = false, onProgress } = options
  const most = { streams: oneByOne ? 1 : MOST_EVENTS, again: store.keepsOrder && !oneByOne }
  // Streams that are kept for a time may have lost their beginning; there are few of them at a time.
  const revisions = new Map<string, number>()
  let call = new Call(most)
  let onItsWay = Promise.resolve()
  const sendCall = async (upTo: number): Promise<void> => {
    await onItsWay
    onItsWay = send(store, call.units).then(() => onProgress?.(upTo))
    onItsWay.catch(() => {}) // is thrown where it is waited for
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
  if (call.units.length > 0) await sendCall(told.events)
  await onItsWay
}

async function* eventsOf({ lines, told }: ImportOptions): AsyncGenerator<{ event: FiledEvent; bytes: number }> {
  let number = 0
  for await (const text of lines()) {
    if (number === told.events) return
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

/** Reads the store beside the file. What is kept for a time may be hidden already, and nothing goes by its order. */
const compare = async (options: ImportOptions): Promise<Imported> => {
  const { store, told } = options
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
    imported.end = placeOf(found)
    for (const [reader, id] of Object.entries(told.readers))
      if (id === event.id) imported.readers[reader] = imported.end
  }
  if (await next()) throw new NotImportable('something else has written to this event store')
  return imported
}

const OUT_OF_ORDER =
  'the events are stored in another order than they were sent: begin again in an empty store, with --one-by-one'

/**
 * Streams kept for good keep their revisions, by which an attempt names the state of its account; a closing event stands alone;
 * what is kept for a time is numbered anew.
 */
const expectedOf = ({ stream, revision, type }: FiledEvent, revisions: Map<string, number>): number => {
  if (isClosing(type)) return NO_STREAM
  if (keptFor(stream) === null) return revision - 1
  const expected = revisions.get(stream) ?? NO_STREAM
  revisions.set(stream, expected + 1)
  return expected
}
