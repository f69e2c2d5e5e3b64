// Tests: tests/integration/projections/replay.test.ts
/** Builds read models in a separate schema, from the first event of the store up to a given position. */
import { StoreUnavailable } from '../../domain/errors.ts'
import { decidedAt } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { Applier } from './applier.ts'
import type { Definition } from './definition.ts'
import type { ReadModelTables } from './tables.ts'
import { createSchema, dropSchema } from './schema.ts'

const MOST_EVENTS = 5_000

export interface Progress {
  events: number
  /** Seconds since the build began. */
  seconds: number
  /** When the newest applied event was decided. */
  at: string | null
}

export interface BuilderOptions {
  store: EventStore
  tables: ReadModelTables
  definition: Definition
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** Most events written in one transaction. Only tests change it. */
  maxBatch?: number
}

/** The signal ended the build. */
export class Ended extends Error {
  override name = 'Ended'
}

export class Builder {
  readonly #options: BuilderOptions
  readonly #applier: Applier
  readonly #started = performance.now()
  #events = 0
  #at: string | null = null

  private constructor(options: BuilderOptions, schema: string) {
    this.#options = options
    const { store, tables, definition } = options
    this.#applier = new Applier({ store, tables, definition, schema, anchor: null })
  }

  /** Starts with empty tables and drops what an earlier build left in the schema. */
  static async open(options: BuilderOptions, schema: string): Promise<Builder> {
    await dropSchema(options.tables, schema)
    await createSchema(options.tables, options.definition, schema)
    return new Builder(options, schema)
  }

  /** The last event applied. */
  get anchor(): StorePosition | null {
    return this.#applier.anchor
  }

  get progress(): Progress {
    return { events: this.#events, seconds: (performance.now() - this.#started) / 1000, at: this.#at }
  }

  /**
   * Applies every event up to a position and none after it.
   * @param target  null: before the first event
   * @throws {Ended} when the signal aborts
   */
  async to(target: Checkpoint | null): Promise<void> {
    const { store, definition, signal, onProgress, maxBatch = MOST_EVENTS } = this.#options
    const isDone = (position: Checkpoint | null): boolean =>
      target === null || (position !== null && !store.isAfter(target, position))
    if (isDone(this.anchor?.checkpoint ?? null)) return
    const after = this.anchor?.checkpoint ?? null
    // Reading ahead ends with the loop, however the loop ends.
    const done = new AbortController()
    const either = signal ? AbortSignal.any([signal, done.signal]) : done.signal
    const reading = store.subscribe({ after, prefixes: definition.prefixes, signal: either, maxBatch })
    try {
      for await (const batch of reading) {
        const events = batch.events.filter(({ checkpoint }) => !store.isAfter(checkpoint, target!))
        const last = events.at(-1)
        if (last) {
          await this.#applier.apply(events, last.checkpoint)
          // As in the live ones. The cost of a part grows with what is left, which would be that of the whole history at the end.
          if (await this.#applier.isLeft()) await this.#applier.part()
          this.#events += events.length
          this.#at = decidedAt(last) ?? this.#at
          onProgress?.(this.progress)
        }
        if (signal?.aborted) break
        if (isDone(batch.checkpoint)) return await this.#applier.finish()
      }
    } finally {
      done.abort()
    }
    if (signal?.aborted) throw new Ended('ended before the read models were built')
    throw new StoreUnavailable('the event store ended the read')
  }
}
