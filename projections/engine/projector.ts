// Tests: tests/integration/projections/projector.test.ts
/**
 * The runner of read models: one subscription, one checkpoint, one transaction per batch. Batches grow by themselves:
 * while one is written, the next one collects in the store.
 *
 * An event that cannot be applied parks its stream (`parking.ts`), and all others go on. If another process moves its checkpoint, it was
 * overtaken: it was frozen and lost its turn. Then its batch is not written, and it ends until its next turn. While the database or the
 * store is unavailable, it waits and then continues from the stored checkpoint. After any other failure it has stopped. It says so, tries
 * again from time to time, and continues when the cause is gone.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import type { Checkpoint, EventStore, ReadModels, LogLines } from '../../domain/ports.ts'
import { retry } from '../../workflows/support/retry.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { Overtaken } from './applier.ts'
import { isNewer, NewerReadModels, readCheckpoint, reasonToRebuild, type StoredCheckpoint } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import type { ParkedStream } from './parked-table.ts'
import type { ReadModelTables } from './tables.ts'
import { heldBack } from './held-back.ts'
import { openLiveApplier } from './live-applier.ts'
import { type Pressed, openPace } from './pace.ts'
import { besides } from './remaining.ts'
import { rebuild } from './replay.ts'
import { createSchema } from './schema.ts'
import { openStatus, type ProjectorHealth } from './status.ts'
import { openWaiters } from './waiters.ts'

/** Most events written in one transaction. */
const MOST_EVENTS = 2_000
const BACK_OFF = { firstMs: 50, mostMs: 5_000 }

export interface Projector extends ReadModels {
  /**
   * Runs until the signal aborts or another process has moved the checkpoint. While it has stopped, `health` and a log line give the
   * reason. It does not throw, because a failed projector must not stop receiving. It may be run again.
   */
  run(signal: AbortSignal): Promise<void>
  /** Whether this process runs the projection, so that its `passed` is meaningful. */
  isRunning(): boolean
  health(): ProjectorHealth
  /** Everything up to this position is in the read models. null: they are empty. */
  position(): Checkpoint | null
  /** Milliseconds since the last applied event, or since the start, while more events may wait; 0 when up to date. */
  lag(): number
}

export interface ProjectorOptions {
  store: EventStore
  tables: ReadModelTables
  definition: Definition
  log: Pick<LogLines, 'info' | 'warn' | 'error'>
  /** Most events written in one transaction. */
  maxBatch?: number
  /**
   * Batches are collected longer while a part of the process is overloaded. That costs less and leaves that part more
   * time.
   */
  pressed?: () => Pressed | null
  /** Receives each failure that is retried. */
  onFailure?: (error: unknown) => void
  /** A stream was parked. */
  onParked?: (parked: ParkedStream) => void
  /** Called at the start of a turn, when the position of the read models is known. */
  onStart?: (position: Checkpoint | null) => Promise<void>
}

/** Creates missing tables, so that queries work at once. */
export const openProjector = async (options: ProjectorOptions): Promise<Projector> => {
  await createSchema(options.tables, options.definition)
  return openRunningProjector(options)
}

const openRunningProjector = (options: ProjectorOptions): Projector => {
  const { store, tables, definition, log, onFailure, onStart, pressed = () => null } = options
  const { projector } = definition
  const waiters = openWaiters((a, b) => store.isAfter(a, b))
  const isAway = (error: unknown): boolean => error instanceof StoreUnavailable || tables.isAway(error)
  const status = openStatus(projector, log, isAway)
  const { isLive, isRunning, lateMs, lag } = status
  const pace = openPace({ definition, pressed, waiters, isLive, lateMs })

  const run = async (signal: AbortSignal): Promise<void> => {
    const failed = (error: unknown): void => {
      if (signal.aborted) return
      if (error instanceof Overtaken || error instanceof NewerReadModels) throw error
      onFailure?.(error)
      status.failed(error)
    }
    const rule = { signal, backOff: BACK_OFF, onFailure: failed }
    await retry((worked) => follow(signal, worked), rule).catch(status.ended)
    if (signal.aborted) status.is('idle')
  }

  /** Runs from the stored checkpoint until the signal aborts. @param worked  called after each batch */
  const follow = async (signal: AbortSignal, worked: () => void): Promise<void> => {
    const anchor = await start(signal)
    if (signal.aborted) return
    const applier = openLiveApplier(options, anchor)
    const after = anchor?.checkpoint ?? null
    await onStart?.(after)
    const ending = new AbortController()
    const either = AbortSignal.any([signal, ending.signal])
    const { maxBatch = MOST_EVENTS } = options
    const batches = store.subscribe({ after, prefixes: definition.prefixes, signal: either, maxBatch })
    try {
      for await (const batch of besides(heldBack(batches, pace), applier)) {
        await applier.apply(batch)
        // Mostly that is all of it, and is done when waiters are answered.
        if (await applier.isLeft()) await applier.part()
        status.applied(batch)
        waiters.reached(batch.checkpoint)
        worked()
        await pace.giveWay(signal)
      }
    } finally {
      ending.abort()
    }
    if (!signal.aborted) throw new StoreUnavailable('the event store ended the subscription')
  }

  /** The stored position, to continue from. If the read models cannot be continued, they are rebuilt first. */
  const start = async (signal: AbortSignal): Promise<StorePosition | null> => {
    const readStored = (): Promise<StoredCheckpoint | null> => readCheckpoint(tables, definition.schema, projector)
    let stored = await readStored()
    if (isNewer(stored, definition)) throw new NewerReadModels()
    const reason = await reasonToRebuild(store, stored, definition)
    if (reason !== null) {
      waiters.reached(null)
      status.is('rebuilding', reason)
      log.warn({ projector, reason }, 'projection.rebuilding')
      const { events, seconds } = await rebuild({ store, tables, definition, signal })
      if (signal.aborted) return null
      log.info({ projector, events, seconds }, 'projection.rebuilt')
      stored = await readStored()
    }
    // It has stopped until a batch shows that the cause is gone.
    if (!status.hasStopped()) status.is('catching_up')
    waiters.reached(stored?.anchor?.checkpoint ?? null)
    return stored?.anchor ?? null
  }

  const { passed, position } = waiters
  return { passed, position, health: () => status.health(position()), lag, isRunning, run }
}
