// Tests: tests/integration/credits/remember-credits.test.ts
/**
 * A cache of credit memories, bounded by the number of credits in all of them. A memory may be an hour old: a credit
 * stays in its deduplication window for seven days, and only after that is the memory needed to recognize it. So
 * receiving a notification needs no further read, except for the first credit of an account in an hour.
 */
import { creditSegmentsStream, creditsStream, SEGMENTS } from '../../domain/credits/events.ts'
import { CreditMemory } from '../../domain/credits/memory.ts'
import { isFoldable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type EventStore, type Slice } from '../../domain/ports.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'

const FRESH_MS = HOUR_MS
/** A memory is then read anew, because it never drops what has expired in the store. */
const RELOADED_AFTER_MS = 7 * DAY_MS
/** Segments per read. A segment is about a megabyte. */
const SEGMENTS_AT_ONCE = 4
const DEFAULT_LIMIT = 1_000_000
/** The memory of an empty entry, counted in credits. */
const EMPTY_WEIGHS = 20

const weightOf = ({ memory }: LoadedMemory): number => EMPTY_WEIGHS + memory.size

/** A memory, and how far its streams have been read. */
export class LoadedMemory {
  readonly memory = new CreditMemory()
  readonly userId: number
  /** The last read revision of each of its streams. */
  readonly revisions = new Map<string, number>()
  /** The number of credits in the newest segment, according to its last event. */
  total = 0

  constructor(userId: number) {
    this.userId = userId
  }

  /** Reads what was added since. One read returns the newest segment that is known and the number of the newest one. */
  async readOn(store: Pick<EventStore, 'read'>): Promise<void> {
    const { memory, userId } = this
    const known = memory.newest
    const head: Slice = { stream: creditSegmentsStream(userId), backwards: true, limit: 1 }
    const [[begun] = [], events = []] = await store.read([head, this.#slice(known)])
    this.#fold(known, events)
    if (!begun) return
    this.revisions.set(begun.stream, begun.revision)
    const newest = isFoldable(begun) && begun.type === 'CreditSegmentBegun' ? begun.data.segment : known
    const missing = Array.from({ length: SEGMENTS }, (_, n) => newest - SEGMENTS + 1 + n).filter(
      (segment) => segment > known,
    )
    for (let from = 0; from < missing.length; from += SEGMENTS_AT_ONCE) {
      const some = missing.slice(from, from + SEGMENTS_AT_ONCE)
      const answers = await store.read(some.map((segment) => this.#slice(segment)))
      some.forEach((segment, n) => this.#fold(segment, answers[n] ?? []))
    }
    if (newest > known) memory.begin(newest)
  }

  #slice(segment: number): Slice {
    const stream = creditsStream(this.userId, segment)
    return { stream, from: (this.revisions.get(stream) ?? NO_STREAM) + 1 }
  }

  #fold(segment: number, events: readonly StoredEvent[]): void {
    if (segment > this.memory.newest) this.total = 0
    for (const event of events) {
      if (isFoldable(event) && event.type === 'CreditsRemembered') {
        this.memory.see(event.data)
        if (segment >= this.memory.newest) this.total = event.data.total
      }
      this.revisions.set(event.stream, event.revision)
    }
  }
}

interface Kept {
  loaded: LoadedMemory
  /** Unix milliseconds. */
  begunAt: number
  readAt: number
}

export class CreditMemories {
  readonly #limit: number
  readonly #kept = new Map<number, Kept>()
  #weight = 0

  /** @param limit  most credits kept in all accounts together */
  constructor(limit = DEFAULT_LIMIT) {
    this.#limit = limit
  }

  /** The memory of an account; null if it must be loaded. */
  get(userId: number, now: Date): CreditMemory | null {
    const kept = this.#kept.get(userId)
    return kept && isWithin(kept.readAt, now, FRESH_MS) ? kept.loaded.memory : null
  }

  /** @throws {StoreUnavailable} */
  async load(store: Pick<EventStore, 'read'>, userId: number, now: Date): Promise<CreditMemory> {
    const kept = this.#take(userId)
    const isUsable = kept && isWithin(kept.begunAt, now, RELOADED_AFTER_MS)
    const loaded = isUsable ? kept.loaded : new LoadedMemory(userId)
    await loaded.readOn(store)
    this.#put({ loaded, begunAt: isUsable ? kept.begunAt : now.getTime(), readAt: now.getTime() })
    return loaded.memory
  }

  #take(userId: number): Kept | undefined {
    const kept = this.#kept.get(userId)
    if (kept) this.#weight -= weightOf(kept.loaded)
    this.#kept.delete(userId)
    return kept
  }

  /** The oldest entry is at the front. A single entry may exceed the limit: the next notification still needs it. */
  #put(kept: Kept): void {
    this.#kept.set(kept.loaded.userId, kept)
    this.#weight += weightOf(kept.loaded)
    for (const userId of this.#kept.keys()) {
      if (this.#weight <= this.#limit || this.#kept.size === 1) return
      this.#take(userId)
    }
  }
}

/** A clock that was set back counts as well. */
const isWithin = (since: number, now: Date, milliseconds: number): boolean =>
  Math.abs(now.getTime() - since) < milliseconds
