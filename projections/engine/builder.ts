// Tests: tests/integration/projections/replay.test.ts
/** Builds read models in a separate schema, from the first event of the store up to a given position. */
import { StoreUnavailable } from '../../domain/errors.ts'
import { decidedAt } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { openApplier } from './applier.ts'
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

/** Starts with empty tables and drops what an earlier build left in the schema. */
export const openBuilder = async (options: BuilderOptions, schema: string) => {
  const { store, tables, definition, signal, onProgress, maxBatch = MOST_EVENTS } = options
  await dropSchema(tables, schema)
  await createSchema(tables, definition, schema)
  const started = performance.now()
  let written = 0
  let at: string | null = null
  const applier = openApplier({ store, tables, definition, schema, anchor: null })

  const progress = (): Progress => ({ events: written, seconds: (performance.now() - started) / 1000, at })

  /**
   * Applies every event up to a position and none after it.
   * @param target  null: before the first event
   * @throws {Ended} when the signal aborts
   */
  const to = async (target: Checkpoint | null): Promise<void> => {
    const isDone = (position: Checkpoint | null): boolean =>
      target === null || (position !== null && !store.isAfter(target, position))
    const after = applier.anchor()?.checkpoint ?? null
    if (isDone(after)) return
    // Reading ahead ends with the loop, however the loop ends.
    const done = new AbortController()
    const either = signal ? AbortSignal.any([signal, done.signal]) : done.signal
    const reading = store.subscribe({ after, prefixes: definition.prefixes, signal: either, maxBatch })
    try {
      for await (const batch of reading) {
        const events = batch.events.filter(({ checkpoint }) => !store.isAfter(checkpoint, target!))
        const last = events.at(-1)
        if (last) {
          await applier.apply(events, last.checkpoint)
          // As in the live ones. The cost of a part grows with what is left, which would be that of the whole history at the end.
          if (await applier.isLeft()) await applier.part()
          written += events.length
          at = decidedAt(last) ?? at
          onProgress?.(progress())
        }
        if (signal?.aborted) break
        if (isDone(batch.checkpoint)) return await applier.finish()
      }
    } finally {
      done.abort()
    }
    if (signal?.aborted) throw new Ended('ended before the read models were built')
    throw new StoreUnavailable('the event store ended the read')
  }

  return { anchor: applier.anchor, progress, to }
}

export type Builder = Awaited<ReturnType<typeof openBuilder>>
