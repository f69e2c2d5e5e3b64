/**
 * The data of the stand-in, and its rules for appends, hiding and deletes: those of a single EventStoreDB 23.10 node, as observed in its
 * answers. Everything is in memory; with a folder, every change is also written to a file before it is answered.
 */
import { randomUUID } from 'node:crypto'
import { EventFile } from './event-file.ts'

export interface ProposedEvent {
  id: string
  type: string
  contentType: string
  data: Buffer
  metadata: Buffer
}

export interface StoredEvent extends ProposedEvent {
  stream: string
  revision: number
  /** The commit and prepare position, which are equal. */
  position: number
  /** Milliseconds since 1970. */
  created: number
}

export type Expected = number | 'any' | 'no_stream' | 'stream_exists'

export type AppendOutcome =
  | { kind: 'written'; revision: number; position: number | undefined }
  | { kind: 'wrong_expected_version'; /** undefined if the stream does not exist */ revision: number | undefined }
  | { kind: 'stream_deleted' }
  | { kind: 'too_big' }

interface Stream {
  events: StoredEvent[]
  last: number
  tombstoned: boolean
}

/** The stream metadata that decides which of its events are visible. */
interface Visibility {
  $maxAge?: number
  $maxCount?: number
  $tb?: number
}

export const MOST_APPEND_BYTES = 1_048_576
/** `$tb` of a soft-deleted stream: the greatest 64-bit number, which JavaScript reads as a float. */
const DELETED_BEFORE = 9_223_372_036_854_775_807n
/** With ANY and STREAM_EXISTS, ids are recognised only while the server remembers them. */
const MOST_REMEMBERED = 100_000

const sizeOf = ({ data, metadata, type }: ProposedEvent): number => data.length + metadata.length + 2 * type.length

export const metastreamOf = (stream: string): string => `$$${stream}`

export const systemEvent = (type: string, data: string): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(data),
  metadata: Buffer.alloc(0),
})

export class EventLog {
  readonly #file: EventFile | undefined
  readonly #listeners = new Set<() => void>()
  readonly #streams = new Map<string, Stream>()
  readonly #remembered = new Map<string, number>()
  #all: StoredEvent[] = []
  #nextPosition = 0
  #told = false

  /** @param folder  keeps the events across a restart; undefined: they are not kept */
  constructor(folder?: string) {
    this.#file = folder === undefined ? undefined : new EventFile(folder)
    for (const events of this.#file?.read() ?? []) this.#take(events)
    if (this.#all.length === 0) this.append('$users', 'any', [systemEvent('$UserCreated', '{}')])
  }

  /** Every event that no scavenge has removed, in order. */
  get all(): readonly StoredEvent[] {
    return this.#all
  }

  /** @returns the index in `all` of the first event at or after a position */
  indexOf(position: number): number {
    let [low, high] = [0, this.#all.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#all[middle]!.position < position) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Calls the listener after appends and scavenges, at most once per turn of the event loop. @returns a function that ends this */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  append(name: string, expected: Expected, events: readonly ProposedEvent[]): AppendOutcome {
    if (events.reduce((sum, event) => sum + sizeOf(event), 0) > MOST_APPEND_BYTES) return { kind: 'too_big' }
    const stream = this.#streams.get(name)
    if (stream?.tombstoned) return { kind: 'stream_deleted' }
    const softDeleted = this.#isSoftDeleted(name)
    if (expected === 'any' || expected === 'stream_exists') {
      const known = events.map(({ id }) => this.#remembered.get(`${name} ${id}`))
      if (events.length > 0 && known.every((revision) => revision !== undefined))
        return this.#again(name, known.at(-1)!)
      if (expected === 'stream_exists') {
        if (softDeleted) return { kind: 'stream_deleted' }
        if (!stream && !this.#streams.has(metastreamOf(name)))
          return { kind: 'wrong_expected_version', revision: undefined }
      }
      if (known.some((revision) => revision !== undefined))
        return { kind: 'wrong_expected_version', revision: stream?.last }
      return this.#write(name, events, softDeleted)
    }
    const last = stream?.last ?? -1
    const from = expected === 'no_stream' ? -1 : expected
    if (from === last) return this.#write(name, events, softDeleted)
    if (from < last && events.length > 0) {
      const found = events.map(({ id }, n) => this.#at(name, from + 1 + n)?.id === id)
      if (found.every(Boolean)) return this.#again(name, from + events.length)
      if (!found[0] && expected === 'no_stream' && softDeleted) return this.#write(name, events, softDeleted)
    }
    return { kind: 'wrong_expected_version', revision: stream?.last }
  }

  /** Soft delete: writes metadata that hides everything. @returns the result of the write, or the refusal */
  delete(name: string, expected: Expected): AppendOutcome {
    const refused = this.#refusedDelete(name, expected)
    if (refused) return refused
    return this.#write(metastreamOf(name), [systemEvent('$metadata', `{"$tb":${DELETED_BEFORE}}`)], false)
  }

  /** Deletes permanently. */
  tombstone(name: string, expected: Expected): AppendOutcome {
    const refused = this.#refusedDelete(name, expected)
    if (refused) return refused
    return this.#write(name, [systemEvent('$streamDeleted', '{}')], false)
  }

  /** @returns the visible events, or the reason why there are none */
  visible(name: string): StoredEvent[] | 'not_found' | 'deleted' {
    const stream = this.#streams.get(name)
    if (stream?.tombstoned) return 'deleted'
    if (!stream || this.#isSoftDeleted(name)) return 'not_found'
    const isVisible = this.#visibility(name, stream.last, this.#metadata(name))
    return stream.events.filter(isVisible)
  }

  isVisible(event: StoredEvent): boolean {
    const last = this.#streams.get(event.stream)!.last
    return this.#visibility(event.stream, last, this.#metadata(event.stream))(event)
  }

  /**
   * Removes hidden events permanently, except the last of each stream.
   * @param upTo the end of the log when the scavenge began; later metadata does not count
   */
  scavenge(upTo: number): number {
    let removed = 0
    for (const [name, stream] of this.#streams) {
      const metadata = this.#metadata(name, upTo)
      const isVisible = this.#visibility(name, stream.last, metadata)
      const kept = stream.events.filter(
        (event) => event.position > upTo || event.revision === stream.last || isVisible(event),
      )
      removed += stream.events.length - kept.length
      stream.events = kept
    }
    if (removed > 0) {
      const kept = new Set([...this.#streams.values()].flatMap(({ events }) => events))
      this.#all = this.#all.filter((event) => kept.has(event))
      this.#file?.rewrite(this.#all)
    }
    this.#tell()
    return removed
  }

  /** Loses everything after a position, like a server whose older backup was restored. */
  putBack(position: number): void {
    const kept = this.#all.filter((event) => event.position <= position)
    this.#all = []
    this.#streams.clear()
    this.#remembered.clear()
    this.#nextPosition = 0
    this.#take(kept)
    this.#file?.rewrite(kept)
  }

  /** Forgets event ids, like a restart. */
  forgetIds(): void {
    this.#remembered.clear()
  }

  #refusedDelete(name: string, expected: Expected): AppendOutcome | undefined {
    const stream = this.#streams.get(name)
    if (stream?.tombstoned) return { kind: 'stream_deleted' }
    if (!stream) return { kind: 'wrong_expected_version', revision: undefined }
    const isExpected = typeof expected === 'number' ? expected === stream.last : expected !== 'no_stream'
    return isExpected ? undefined : { kind: 'wrong_expected_version', revision: stream.last }
  }

  #at(name: string, revision: number): StoredEvent | undefined {
    const events = this.#streams.get(name)?.events ?? []
    const direct = events[revision]
    return direct?.revision === revision ? direct : events.find((event) => event.revision === revision)
  }

  /** The answer to a repeated append: without a position if its events are now hidden. */
  #again(name: string, revision: number): AppendOutcome {
    const event = this.#at(name, revision)
    const seen = event && !this.#isSoftDeleted(name) && this.isVisible(event)
    return { kind: 'written', revision, position: seen ? event.position : undefined }
  }

  #write(name: string, events: readonly ProposedEvent[], wasSoftDeleted: boolean): AppendOutcome {
    const last = this.#streams.get(name)?.last ?? -1
    const created = Date.now()
    let position = this.#nextPosition
    const stored = events.map((event, n): StoredEvent => {
      const one = { ...event, stream: name, revision: last + 1 + n, position, created }
      position += 100 + sizeOf(event)
      return one
    })
    if (stored.length > 0) {
      this.#file?.append(stored)
      this.#take(stored)
    }
    if (wasSoftDeleted) this.#undelete(name, last)
    const deletedStream = name.startsWith('$$') ? name.slice(2) : undefined
    if (deletedStream !== undefined && stored.at(-1)?.type === '$metadata') this.#mergeUndelete(deletedStream)
    this.#tell()
    return { kind: 'written', revision: last + stored.length, position: stored.at(-1)?.position ?? this.#end() }
  }

  /** An append to a soft-deleted stream continues its numbering. The old events stay hidden. */
  #undelete(name: string, last: number): void {
    this.#write(metastreamOf(name), [systemEvent('$metadata', JSON.stringify({ $tb: last + 1 }))], false)
  }

  /** New metadata on a soft-deleted stream restores it, without events. */
  #mergeUndelete(name: string): void {
    const meta = this.#streams.get(metastreamOf(name))
    const [before, now] = [meta?.events.at(-2), meta?.events.at(-1)]
    if (!before || !now || visibilityIn(before).$tb !== Number(DELETED_BEFORE)) return
    const data = visibilityIn(now)
    if (data.$tb !== undefined) return
    const merged = { ...data, $tb: (this.#streams.get(name)?.last ?? -1) + 1 }
    this.#write(metastreamOf(name), [systemEvent('$metadata', JSON.stringify(merged))], false)
  }

  #take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      let stream = this.#streams.get(event.stream)
      if (!stream) this.#streams.set(event.stream, (stream = { events: [], last: -1, tombstoned: false }))
      stream.events.push(event)
      stream.last = event.revision
      stream.tombstoned ||= event.type === '$streamDeleted' && !event.stream.startsWith('$$')
      this.#all.push(event)
      this.#nextPosition = event.position + 100 + sizeOf(event)
      this.#remembered.set(`${event.stream} ${event.id}`, event.revision)
      if (this.#remembered.size > MOST_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!)
    }
  }

  #end(): number {
    return this.#all.at(-1)?.position ?? 0
  }

  #isSoftDeleted(name: string): boolean {
    return this.#metadata(name).$tb === Number(DELETED_BEFORE)
  }

  /** @param upTo  uses the metadata at this position */
  #metadata(name: string, upTo = Infinity): Visibility {
    const said = this.#streams.get(metastreamOf(name))?.events.findLast(({ position }) => position <= upTo)
    return said ? visibilityIn(said) : {}
  }

  #visibility(name: string, last: number, { $maxAge, $maxCount, $tb }: Visibility): (event: StoredEvent) => boolean {
    const oldest = $maxAge === undefined ? -Infinity : Date.now() - $maxAge * 1_000
    const most = name.startsWith('$$') ? 1 : ($maxCount ?? Infinity)
    const first = Math.max($tb ?? 0, last - most + 1)
    return ({ revision, created }) => revision >= first && created >= oldest
  }

  #tell(): void {
    if (this.#told) return
    this.#told = true
    setImmediate(() => {
      this.#told = false
      for (const listener of this.#listeners) listener()
    })
  }
}

const visibilityIn = ({ data }: StoredEvent): Visibility => {
  try {
    return JSON.parse(data.toString()) as Visibility
  } catch {
    return {}
  }
}
