// Tests: tests/contract/event-store/postgres.test.ts
/**
 * The store's past, as far as this process knows it. It shows that a store went back in time: an older backup was restored, a replica was
 * promoted that had not received everything, or the log lost its end.
 *
 * The adapter compares after every reconnect, before it uses the connection: the newest known event must be at its position, with its
 * id. If it is not, every further call fails with `StoreWentBack`, because caches, ids and expected revisions of this process refer to
 * events that do not exist. The process then begins again without them.
 */
import type { OwnedDisk } from '../../domain/disk.ts'
import { StoreWentBack } from '../../domain/errors.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import {
  NO_STREAM,
  type Checkpoint,
  type EventStore,
  type Slice,
  type Unit,
  type UnitResult,
} from '../../domain/ports.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { proves, storePositionOf, type StorePosition } from '../../workflows/support/store-position.ts'

/** Streams whose beginning is remembered. They show which transactions are gone. */
const MOST_BEGUN = 5_000
/** An event that was seen longer ago may have expired, because it may have been old when it was seen. Milliseconds. */
const SURELY_KEPT_MS = HOUR_MS

type EventPosition = Pick<RecordedEvent, 'checkpoint' | 'id' | 'stream' | 'revision'>

/** Reads slices on the connection to compare. The events are not parsed. */
export type Look = (slices: readonly Slice[]) => Promise<RecordedEvent[][]>

/** What the server reports when it is asked for its end. */
export interface ReportedEnd {
  /** The value of `reached` at the moment when the server was asked for its end. Later events of this process must not look as if they were missing. */
  reached: Checkpoint | null
  /** Position of the newest event there. */
  end: Checkpoint
  /** Names the server and the branch of its history; null if this user may not read it. */
  server: string | null
}

export class History {
  readonly #isAfter: EventStore['isAfter']
  readonly #losing = new AbortController()
  #newest: { position: StorePosition; seenAt: number } | null = null
  #reached: Checkpoint | null = null
  #begun: string[] = []
  /** Milliseconds for which events of streams with a prefix are kept. */
  readonly #keptFor = new Map<string, number>()
  #server: string | null = null

  constructor(isAfter: EventStore['isAfter']) {
    this.#isAfter = isAfter
  }

  /** Aborts when the store is found to have gone back. */
  get lost(): AbortSignal {
    return this.#losing.signal
  }

  /** The newest known event; null before the first one. */
  newest(): StorePosition | null {
    return this.#newest?.position ?? null
  }

  /** The newest known position. */
  reached(): Checkpoint | null {
    return this.#reached
  }

  /** The newest streams whose beginning this process has seen. */
  begun(): readonly string[] {
    return this.#begun
  }

  /** Notes events that were read or received, in order. */
  saw(events: readonly EventPosition[]): void {
    for (const { stream, revision } of events) if (revision === 0) this.#begin(stream)
    const last = events.at(-1)
    if (last) this.#advance(last)
  }

  /** Notes an append. @param last  the last event */
  wrote(streams: readonly { stream: string; expected: number }[], last: EventPosition): void {
    for (const { stream, expected } of streams) if (expected === NO_STREAM) this.#begin(stream)
    this.#advance(last)
  }

  /** Notes how long events of streams with this prefix are kept. */
  retains(prefix: string, maxAgeSeconds: number): void {
    this.#keptFor.set(prefix, maxAgeSeconds * 1_000)
  }

  /** Notes a position without its event. */
  reaches(checkpoint: Checkpoint): void {
    if (this.#reached === null || this.#isAfter(checkpoint, this.#reached)) this.#reached = checkpoint
  }

  /** @throws {StoreWentBack} if the store is known to have gone back */
  check(): void {
    if (this.#losing.signal.aborted) throw new StoreWentBack()
  }

  /**
   * Compares what is known with what is there.
   * @param answered  if the server reports its end and its identity at no cost
   * @throws {StoreWentBack} · any error of `look`
   */
  async compare(look: Look, answered?: ReportedEnd): Promise<void> {
    this.check()
    const isOtherServer = answered !== undefined && this.#isOther(answered.server)
    if (answered && answered.reached !== null && this.#isAfter(answered.reached, answered.end)) this.#lose()
    if (this.#newest === null) return
    const { position, seenAt } = this.#newest
    const [[found] = []] = await look([{ stream: position.stream, from: position.revision, limit: 1 }])
    if (proves(found, position, this.#isAfter)) return
    const mayHaveExpired = !found && !isOtherServer && performance.now() - seenAt > this.#surelyKeptMs(position.stream)
    if (!mayHaveExpired) this.#lose()
  }

  /** Milliseconds after an event of this stream was seen in which it counts as kept: at most half its time, because it may have been seen late. */
  #surelyKeptMs(stream: string): number {
    const ages = [...this.#keptFor].flatMap(([prefix, age]) => (stream.startsWith(prefix) ? age / 2 : []))
    return Math.min(SURELY_KEPT_MS, ...ages)
  }

  #advance(event: EventPosition): void {
    if (!this.#newest || this.#isAfter(event.checkpoint, this.#newest.position.checkpoint))
      this.#newest = { position: storePositionOf(event), seenAt: performance.now() }
    this.reaches(event.checkpoint)
  }

  #begin(stream: string): void {
    this.#begun.push(stream)
    if (this.#begun.length > 2 * MOST_BEGUN) this.#begun = this.#begun.slice(-MOST_BEGUN)
  }

  #isOther(server: string | null): boolean {
    const before = this.#server
    this.#server = server ?? before
    return before !== null && server !== null && before !== server
  }

  #lose(): never {
    const reason = new StoreWentBack()
    this.#losing.abort(reason)
    throw reason
  }
}

/** A store that knows its own past, as far as this process has seen it. */
export type RememberingStore<Event extends RecordedEvent = StoredEvent> = EventStore<Event> & {
  readonly history: History
  /** The disk of the server, if it reports it. null: it reports none now. @throws if it does not answer */
  disk?(): Promise<Pick<OwnedDisk, 'space' | 'place'> | null>
}

/** Whether a conflict reports an older revision than its caller expected, so that the caller knows events that may not exist. */
export const expectedMore = (units: readonly Unit[], results: readonly UnitResult[]): boolean =>
  results.some((result, n) => {
    if (result.ok) return false
    const { stream, revision } = result.conflict
    return units[n]!.some((append) => append.stream === stream && append.expectedRevision > revision)
  })
