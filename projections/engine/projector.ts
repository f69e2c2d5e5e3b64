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
import { decidedAt } from '../../domain/parse-event.ts'
import type { Batch, Checkpoint, EventStore, ReadModels, LogLines } from '../../domain/ports.ts'
import { retry } from '../../workflows/support/retry.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { Overtaken, openApplier, type Applier } from './applier.ts'
import { isNewer, NewerReadModels, readCheckpoint, reasonToRebuild, type StoredCheckpoint } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import type { ParkedStream } from './parked-table.ts'
import type { ReadModelTables } from './tables.ts'
import { heldBack } from './held-back.ts'
import { type Pressed, openPace } from './pace.ts'
import { besides } from './remaining.ts'
import { rebuild } from './replay.ts'
import { createSchema } from './schema.ts'
import { versionOf } from './sql.ts'
import { openWaiters } from './waiters.ts'

/** Most events written in one transaction. */
const MOST_EVENTS = 2_000
const BACK_OFF = { firstMs: 50, mostMs: 5_000 }

export type ProjectorState =
  /** not running: another process has the turn, or it has not started yet */
  | 'idle'
  | 'rebuilding'
  | 'catching_up'
  | 'live'
  /** the database or the store does not answer */
  | 'away'
  /** another process has moved the checkpoint */
  | 'overtaken'
  /** the read models are of a newer version of Baoco */
  | 'outdated'
  /** a failure that is no outage, see `reason` */
  | 'stopped'

export interface ProjectorHealth {
  state: ProjectorState
  /** Why it stopped, is away or rebuilds; otherwise null. */
  reason: string | null
  position: Checkpoint | null
  /** When the last applied event was decided. */
  last_event_at: string | null
  /** Events applied since the start. */
  applied: number
}

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
  let current: ProjectorState = 'idle'
  let because: string | null = null
  let lastEventAt: string | null = null
  let applied = 0
  /** The reason in the last log line about a stop, until a batch is applied. */
  let loggedStop: string | null = null
  let loggedNewer = false
  const startedAt = performance.now()
  const { store, tables, definition, log, maxBatch = MOST_EVENTS, onFailure, onParked } = options
  const { projector } = definition
  const version = versionOf(definition)
  const waiters = openWaiters((a, b) => store.isAfter(a, b))
  const pace = openPace({
    definition,
    pressed: options.pressed ?? (() => null),
    waiters,
    isLive: () => current === 'live',
    lateMs: () => lateMs(),
  })

  const health = (): ProjectorHealth => ({
    state: current,
    reason: because,
    position: waiters.position(),
    last_event_at: lastEventAt,
    applied,
  })

  const lag = (): number => {
    if (current === 'live') return 0
    return lastEventAt === null ? performance.now() - startedAt : Math.max(0, lateMs())
  }

  const isRunning = (): boolean => current === 'rebuilding' || current === 'catching_up' || current === 'live'

  const run = async (signal: AbortSignal): Promise<void> => {
    await runUntil(signal)
    if (signal.aborted) is('idle')
  }

  const runUntil = async (signal: AbortSignal): Promise<void> => {
    const failed = (error: unknown): void => {
      if (signal.aborted) return
      if (error instanceof Overtaken || error instanceof NewerReadModels) throw error
      onFailure?.(error)
      const reason = (error as Error).message
      const state = isAway(error) ? 'away' : 'stopped'
      if (state === 'away' && current !== state) log.warn({ projector, reason }, 'projection.away')
      if (state === 'stopped' && loggedStop !== reason) log.error({ projector, reason }, 'projection.stopped')
      loggedStop = state === 'stopped' ? reason : null
      is(state, reason)
    }
    try {
      await retry((worked) => follow(signal, worked), { signal, backOff: BACK_OFF, onFailure: failed })
    } catch (error) {
      const reason = (error as Error).message
      const isOutdated = error instanceof NewerReadModels
      is(isOutdated ? 'outdated' : 'overtaken', reason)
      if (!isOutdated) log.warn({ projector, reason }, 'projection.overtaken')
      else if (!loggedNewer) log.warn({ projector, reason }, 'projection.newer')
      loggedNewer = isOutdated
    }
  }

  const readStored = (): Promise<StoredCheckpoint | null> => readCheckpoint(tables, definition.schema, projector)

  const is = (state: ProjectorState, reason: string | null = null): void => {
    current = state
    because = reason
  }

  const isAway = (error: unknown): boolean => error instanceof StoreUnavailable || tables.isAway(error)

  /** Runs from the stored checkpoint until the signal aborts. @param worked  called after each batch */
  const follow = async (signal: AbortSignal, worked: () => void): Promise<void> => {
    const anchor = await start(signal)
    if (signal.aborted) return
    let applier = applierFrom(anchor)
    await options.onStart?.(anchor?.checkpoint ?? null)
    const after = anchor?.checkpoint ?? null
    const ending = new AbortController()
    const either = AbortSignal.any([signal, ending.signal])
    const batches = store.subscribe({ after, prefixes: definition.prefixes, signal: either, maxBatch })
    try {
      /** A replay swaps in new tables at exactly the checkpoint of the old ones. Then we continue there. */
      const unlessSwapped = async (work: () => Promise<void>, after: () => Promise<void>): Promise<void> => {
        try {
          await work()
        } catch (error) {
          if (!(error instanceof Overtaken)) throw error
          applier = await afterSwap(applier, error)
          await after()
        }
      }
      const remaining = {
        isLeft: () => applier.isLeft(),
        part: () => unlessSwapped(() => applier.part(), async () => {}), // prettier-ignore
      }
      for await (const batch of besides(heldBack(batches, pace), remaining)) {
        await unlessSwapped(
          () => applier.apply(batch.events, batch.checkpoint),
          () => rest(applier, batch),
        )
        // Mostly that is all of it, and is done when waiters are answered.
        if (await applier.isLeft()) await remaining.part()
        done(batch)
        worked()
        await pace.giveWay(signal)
      }
    } finally {
      ending.abort()
    }
    if (!signal.aborted) throw new StoreUnavailable('the event store ended the subscription')
  }

  /** Infinity if no event has been applied since the start. */
  const lateMs = (): number => {
    // oxlint-disable-next-line pure/inside -- the delay of real events on the wall clock decides nothing that is stored
    return lastEventAt === null ? Infinity : Date.now() - Date.parse(lastEventAt)
  }

  const applierFrom = (anchor: StorePosition | null): Applier =>
    openApplier({ store, tables, definition, schema: definition.schema, anchor, ...(onParked && { onParked }) })

  /** Continues from the stored checkpoint. If the read models cannot be continued, they are rebuilt first. */
  const start = async (signal: AbortSignal): Promise<StorePosition | null> => {
    let stored = await readStored()
    if (isNewer(stored, definition)) throw new NewerReadModels()
    const reason = await reasonToRebuild(store, stored, definition)
    if (reason !== null) {
      waiters.reached(null)
      is('rebuilding', reason)
      log.warn({ projector, reason }, 'projection.rebuilding')
      const { events, seconds } = await rebuild({ store, tables, definition, signal })
      if (signal.aborted) return null
      log.info({ projector, events, seconds }, 'projection.rebuilt')
      stored = await readStored()
    }
    // It has stopped until a batch shows that the cause is gone.
    if (current !== 'stopped') is('catching_up')
    waiters.reached(stored?.anchor?.checkpoint ?? null)
    return stored?.anchor ?? null
  }

  const afterSwap = async (applier: Applier, overtaken: Overtaken): Promise<Applier> => {
    const stored = await readStored()
    const isOurs = (theirs: StoredCheckpoint): boolean =>
      theirs.version === version && theirs.anchor?.event_id === applier.anchor()?.event_id
    if (!stored || !isOurs(stored)) throw overtaken
    return applierFrom(stored.anchor)
  }

  /** Applies the remaining events of a batch: it may have been applied in halves. */
  const rest = async (applier: Applier, { events, checkpoint }: Batch): Promise<void> => {
    const anchor = applier.anchor()
    const left = anchor ? events.filter((event) => store.isAfter(event.checkpoint, anchor.checkpoint)) : events
    await applier.apply(left, checkpoint)
  }

  const done = ({ events, checkpoint, live }: Batch): void => {
    applied += events.length
    lastEventAt = events.reduce((newest, event) => decidedAt(event) ?? newest, lastEventAt)
    loggedStop = null
    is(live ? 'live' : 'catching_up')
    waiters.reached(checkpoint)
  }

  return { passed: waiters.passed, position: waiters.position, health, lag, isRunning, run }
}
