/**
 * The data of the stand-in, and its rules for appends, hiding and deletes: those of a single EventStoreDB 23.10 node, as observed in its
 * answers. Everything is in memory; with a folder, every change is also written to a file before it is answered.
 */
import { rulingOnAppend } from './append-rules.ts'
import { EventFile } from './event-file.ts'
import {
  HeldEvent,
  MOST_APPEND_BYTES,
  metastreamOf,
  sizeOf,
  systemEvent,
  type AppendOutcome,
  type Expected,
  type ProposedEvent,
  type StoredEvent,
} from './event.ts'
import type { Faults } from './faults.ts'
import { RememberedIds } from './remembered-ids.ts'
import { emptyStream, indexOfFirst, UNDELETE_MS, type Stream } from './stream.ts'
import { DELETED_BEFORE, visibilityFilter, visibilityIn, type Visibility } from './visibility.ts'

export class EventLog {
  readonly #faults: Faults | undefined
  readonly #file: EventFile | undefined
  readonly #listeners = new Set<() => void>()
  readonly #streams = new Map<string, Stream>()
  #remembered = new RememberedIds()
  #leader: EventLog | undefined
  #all: StoredEvent[] = []
  /** Positions of events that a scavenge has removed. They stay valid. */
  readonly #removed: Set<number>
  #nextPosition = 0
  /** The number of events that readers and subscribers have received. */
  sent = 0
  /** The number of open subscriptions to all streams. */
  subscriptions = 0
  #isAnnounced = false

  /** @param folder  keeps the events across a restart; undefined: they are not kept */
  constructor(folder?: string, faults?: Faults) {
    this.#faults = faults
    this.#file = folder === undefined ? undefined : new EventFile(folder)
    for (const events of this.#file?.read() ?? []) this.#take(events)
    this.#removed = new Set(this.#file?.removed())
    if (this.#all.length === 0) this.append('$users', 'any', [systemEvent('$UserCreated', '{}')])
  }

  /** Every event that no scavenge has removed, in order. */
  get all(): readonly StoredEvent[] {
    return this.#all
  }

  /** @returns the index in `all` of the first event at or after a position */
  indexOf(position: number): number {
    return indexOfFirst(this.#all, (event) => event.position >= position)
  }

  /** The position of the newest event. */
  get end(): number {
    return this.#all.at(-1)?.position ?? 0
  }

  /** Whether an event is at this position, or was before a scavenge. */
  isPosition(position: number): boolean {
    return position === 0 || this.#removed.has(position) || this.#all[this.indexOf(position)]?.position === position
  }

  /** Calls the listener after appends and scavenges, at most once per turn of the event loop. @returns a function that ends this */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Makes this the log of a follower: it copies the leader's events, and its own appends go to the leader. */
  follow(leader: EventLog): void {
    this.#leader = leader
    leader.onChange(() => this.#copy())
    this.#copy()
  }

  append(name: string, expected: Expected, events: readonly ProposedEvent[]): AppendOutcome {
    if (this.#leader) {
      const outcome = this.#leader.append(name, expected, events)
      this.#copy()
      return outcome
    }
    if (events.reduce((sum, event) => sum + sizeOf(event), 0) > MOST_APPEND_BYTES) return { kind: 'too_big' }
    if (this.#isTombstoned(name)) return { kind: 'stream_deleted' }
    const stream = this.#streams.get(name)
    const isSoftDeleted = this.#isSoftDeleted(name)
    const ruling = rulingOnAppend(expected, events, {
      last: stream?.last,
      hasMetadata: this.#streams.has(metastreamOf(name)),
      isSoftDeleted,
      revisionOf: (id) => this.#remembered.get(name, id),
      idAt: (revision) => this.#at(name, revision)?.id,
    })
    if (ruling === 'write') return this.#write(name, events, isSoftDeleted)
    return 'again' in ruling ? this.#again(name, ruling.again) : ruling
  }

  /** Soft delete: writes metadata that hides everything. @returns the result of the write, or the refusal */
  delete(name: string, expected: Expected): AppendOutcome {
    const refused = this.#refusedDelete(name, expected)
    if (refused) return refused
    return this.#write(metastreamOf(name), [systemEvent('$metadata', `{"$tb":${DELETED_BEFORE}}`)], false)
  }

  /** Deletes permanently. */
  tombstone(name: string, expected: Expected): AppendOutcome {
    const isNew = !this.#streams.has(name) && (expected === 'no_stream' || expected === 'any')
    const refused = isNew ? undefined : this.#refusedDelete(name, expected)
    if (refused) return refused
    return this.#write(name, [{ ...systemEvent('$streamDeleted', ''), contentType: 'application/octet-stream' }], false)
  }

  /**
   * Costs what it returns, not the length of the stream.
   * @param from  the first revision to look at; Infinity: the newest
   * @returns the visible events in the order of reading, or the reason why there are none
   */
  visible(
    name: string,
    { from = 0, most = Infinity, backwards = false } = {},
  ): StoredEvent[] | 'not_found' | 'deleted' {
    const stream = this.#streams.get(name)
    if (stream?.tombstoned) return 'deleted'
    if (!stream || this.#isSoftDeleted(name) || this.#isUndeleting(stream)) return 'not_found'
    const isVisible = visibilityFilter(name, stream.last, this.#metadata(name), this.now())
    const { events } = stream
    const found: StoredEvent[] = []
    const step = backwards ? -1 : 1
    const start = backwards
      ? indexOfFirst(events, ({ revision }) => revision > from) - 1
      : indexOfFirst(events, ({ revision }) => revision >= from)
    for (let index = start; index >= 0 && index < events.length && found.length < most; index += step)
      if (isVisible(events[index]!)) found.push(events[index]!)
    return found
  }

  isVisible(event: StoredEvent): boolean {
    const last = this.#streams.get(event.stream)!.last
    return visibilityFilter(event.stream, last, this.#metadata(event.stream), this.now())(event)
  }

  /**
   * Removes hidden events permanently, except the last of each stream.
   * @param upTo the end of the log when the scavenge began; later metadata does not count
   */
  scavenge(upTo: number): number {
    let removed = 0
    for (const [name, stream] of this.#streams) {
      const metadata = this.#metadata(name, upTo)
      const isVisible = visibilityFilter(name, stream.last, metadata, this.now())
      const kept = stream.events.filter(
        (event) => event.position > upTo || event.revision === stream.last || isVisible(event),
      )
      removed += stream.events.length - kept.length
      stream.events = kept
    }
    if (removed > 0) {
      const kept = new Set([...this.#streams.values()].flatMap(({ events }) => events))
      for (const event of this.#all) if (!kept.has(event)) this.#removed.add(event.position)
      this.#all = this.#all.filter((event) => kept.has(event))
      this.#file?.rewrite(this.#all, this.#removed)
    }
    this.#tell()
    return removed
  }

  /** Loses everything after a position, like a server whose older backup was restored. */
  putBack(position: number): void {
    const kept = this.#all.filter((event) => event.position <= position)
    this.#all = []
    this.#streams.clear()
    this.#remembered = new RememberedIds()
    this.#nextPosition = 0
    this.#take(kept)
    this.#file?.rewrite(kept, this.#removed)
  }

  /** Forgets event ids, like a restart. */
  forgetIds(): void {
    this.#remembered = new RememberedIds()
  }

  #copy(): void {
    const events = this.#leader!.all.slice(this.#leader!.indexOf(this.end + 1))
    if (events.length === 0) return
    this.#file?.append(events)
    this.#take(events)
    this.#tell()
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
    const found = events[indexOfFirst(events, (event) => event.revision >= revision)]
    return found?.revision === revision ? found : undefined
  }

  /** The answer to a repeated append: without a position if its events are now hidden. */
  #again(name: string, revision: number): AppendOutcome {
    const event = this.#at(name, revision)
    const seen = event && !this.#isSoftDeleted(name) && this.isVisible(event)
    return { kind: 'written', revision, position: seen ? event.position : undefined }
  }

  /** The time by the clock of the server: milliseconds since 1970. */
  now(): number {
    return Date.now() + (this.#faults?.clock_ahead_ms ?? 0)
  }

  #write(name: string, events: readonly ProposedEvent[], wasSoftDeleted: boolean): AppendOutcome {
    const last = this.#streams.get(name)?.last ?? -1
    const created = this.now()
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
    return { kind: 'written', revision: last + stored.length, position: stored.at(-1)?.position ?? this.end }
  }

  /** An append to a soft-deleted stream continues its numbering. The old events stay hidden. */
  #undelete(name: string, last: number): void {
    if (this.#faults?.strikes('undelete_late')) this.#streams.get(name)!.undeletedAt = Date.now() + UNDELETE_MS
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
      if (!stream) this.#streams.set(event.stream, (stream = emptyStream(event.stream)))
      const held = new HeldEvent(event, stream.name)
      stream.events.push(held)
      stream.last = event.revision
      stream.tombstoned ||= event.type === '$streamDeleted' && !event.stream.startsWith('$$')
      this.#all.push(held)
      this.#nextPosition = event.position + 100 + sizeOf(event)
      this.#remembered.add(event)
    }
  }

  /** The metadata of a tombstoned stream cannot be written either. */
  #isTombstoned(name: string): boolean {
    return this.#streams.get(name.startsWith('$$') ? name.slice(2) : name)?.tombstoned === true
  }

  #isUndeleting({ undeletedAt }: Stream): boolean {
    return Date.now() < undeletedAt
  }

  #isSoftDeleted(name: string): boolean {
    return this.#metadata(name).$tb === Number(DELETED_BEFORE)
  }

  /** @param upTo  uses the metadata at this position */
  #metadata(name: string, upTo = Infinity): Visibility {
    const latest = this.#streams.get(metastreamOf(name))?.events.findLast(({ position }) => position <= upTo)
    return latest ? visibilityIn(latest) : {}
  }

  #tell(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    setImmediate(() => {
      this.#isAnnounced = false
      for (const listener of this.#listeners) listener()
    })
  }
}
