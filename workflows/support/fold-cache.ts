/**
 * A bounded cache of folds. A stream is read once; after that only its newer events are read. A fold is never assumed
 * to be the newest: every use reads on, or the expected revision of an append detects newer events. For a
 * long stream, a snapshot replaces its past.
 */
import type { z } from 'zod'
import { isEventOf, type EventType, type KnownEvent } from '../../domain/catalogue.ts'
import { isFoldable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type EventStore, type Slice } from '../../domain/ports.ts'
import { BoundedMap } from './bounded-map.ts'
import { isOf, WORTH_A_SNAPSHOT, type Snapshot, type Snapshots } from './snapshots.ts'

export interface Folded<State> {
  state: State
  /** Revision of the last folded event. An append expects it. */
  revision: number
}

export interface Fold<State, Type extends EventType> {
  stream: (key: string) => string
  /** The events that `evolve` takes, such as `accountEvents`. Others change nothing. */
  events: Readonly<Record<Type, z.ZodObject>>
  initial: State
  evolve: (state: State, event: KnownEvent<Type>) => State
}

/** The snapshots of one kind of fold, by key. */
export interface FoldSnapshots {
  load(key: string): Promise<Snapshot | null>
  /** In the background. */
  save(key: string, snapshot: Snapshot): void
}

/** Which process wrote such a snapshot does not matter, and it has no parts. */
const SMALL = { writer: '00000000-0000-0000-0000-000000000000', parts: [], added: [] }

/** Snapshots of a fold whose keys are users. @param name  the fold's */
export const foldSnapshots = (snapshots: Snapshots | undefined, name: string): FoldSnapshots | undefined =>
  snapshots && {
    load: (key) => snapshots.load(Number(key), name),
    save: (key, snapshot) => void snapshots.save(Number(key), name, { ...snapshot, ...SMALL }),
  }

/** A fold that takes all that a stream may hold. */
interface Evolving<State> {
  stream: (key: string) => string
  initial: State
  evolve: (state: State, event: StoredEvent) => State
}

/** @param limit  most folds kept */
export const foldCache = <State, Type extends EventType>(
  { events, evolve, ...fold }: Fold<State, Type>,
  limit: number,
  snapshots?: FoldSnapshots,
): FoldCache<State> =>
  new FoldCache<State>(
    {
      ...fold,
      evolve: (state, event) => (isFoldable(event) && isEventOf(events, event) ? evolve(state, event) : state),
    },
    limit,
    snapshots,
  )

export class FoldCache<State> {
  readonly #fold: Evolving<State>
  readonly #snapshots: FoldSnapshots | undefined
  readonly #entries: BoundedMap<string, Folded<State>>
  /** Revisions of the last snapshots. */
  readonly #saved = new Map<string, number>()

  constructor(fold: Evolving<State>, limit: number, snapshots?: FoldSnapshots) {
    this.#fold = fold
    this.#entries = new BoundedMap(limit, (key) => this.#saved.delete(key))
    this.#snapshots = snapshots
  }

  /** The slice to read to bring the fold of this key up to date. */
  slice(key: string): Slice {
    return { stream: this.#fold.stream(key), from: this.get(key).revision + 1 }
  }

  /** The cached fold, without a read. */
  get(key: string): Folded<State> {
    return this.#entries.get(key) ?? { state: this.#fold.initial, revision: NO_STREAM }
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /**
   * Folds in further events. Events that are already folded are skipped, so results of concurrent reads may arrive in
   * any order.
   * @param known  the fold that the events were read after: it may have been evicted from the cache meanwhile
   */
  advance(key: string, events: readonly StoredEvent[], known: Folded<State> = this.get(key)): Folded<State> {
    const present = this.get(key)
    let { state, revision } = present.revision >= known.revision ? present : known
    for (const event of events) {
      if (event.revision <= revision) continue
      state = this.#fold.evolve(state, event)
      revision = event.revision
    }
    const last = events.at(-1)
    if (last?.revision === revision) this.#save(key, { state, revision, event_id: last.id })
    return this.put(key, { state, revision })
  }

  put(key: string, folded: Folded<State>): Folded<State> {
    this.#entries.set(key, folded)
    return folded
  }

  forget(key: string): void {
    this.#entries.delete(key)
    this.#saved.delete(key)
  }

  /** The newest fold of one key, with one read. */
  async load(store: EventStore, key: string): Promise<Folded<State>> {
    if (this.#snapshots && !this.has(key)) {
      const [first = []] = await store.read([{ ...this.slice(key), limit: WORTH_A_SNAPSHOT }])
      this.advance(key, first)
      if (first.length < WORTH_A_SNAPSHOT) return this.get(key)
      await this.#restore(store, key)
    }
    const known = this.get(key)
    const [events] = await store.read([this.slice(key)])
    return this.advance(key, events ?? [], known)
  }

  async #restore(store: EventStore, key: string): Promise<void> {
    const snapshot = await this.#snapshots!.load(key)
    if (!snapshot || !(await isOf(store, this.slice(key).stream, snapshot))) return
    if (snapshot.revision <= this.get(key).revision) return
    this.put(key, { state: snapshot.state as State, revision: snapshot.revision })
    this.#saved.set(key, snapshot.revision)
  }

  #save(key: string, snapshot: Snapshot): void {
    if (!this.#snapshots || snapshot.state === null) return
    if (snapshot.revision - (this.#saved.get(key) ?? 0) < WORTH_A_SNAPSHOT) return
    this.#saved.set(key, snapshot.revision)
    this.#snapshots.save(key, snapshot)
  }
}
