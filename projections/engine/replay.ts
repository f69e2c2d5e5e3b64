// Tests: tests/integration/projections/replay.test.ts
/**
 * Rebuilds read models from the first event, beside the live ones, which continue meanwhile. Then it swaps them in: it
 * renames both schemas in one transaction, at exactly the event that the live ones have reached. It holds their
 * checkpoint row for that moment. If that event was erased or has expired, the new ones are at the end of the store instead.
 *
 * The live checkpoint row is deleted before the rename. A projector that waited for that row then finds nothing to move
 * and reads the checkpoint again. The names now lead it to the new tables, at the checkpoint that it had. Otherwise it
 * would move the old row and write to the new tables.
 */
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { Ended, type BuilderOptions, openBuilder, type Progress, type Builder } from './builder.ts'
import { isNewer, NewerReadModels, readCheckpoint, reasonToRebuild, type StoredCheckpoint } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import { isLeft, partOf } from './remaining.ts'
import type { ReadModelTables, Statements } from './tables.ts'
import { dropSchema, isThere, nextSchema, oldSchema, renaming } from './schema.ts'
import { differences, type Difference } from './differences.ts'

/** Milliseconds. A round shorter than this leaves so little that the live projector can wait for the rest. */
const SHORT_MS = 250
/** Limits the rounds under a load that is never caught up with. The live projector then waits a little longer at the end. */
const MOST_ROUNDS = 20
/** Milliseconds between checks whether another process has ended its replay. */
const TURN_EVERY_MS = 500

const NEVER = new AbortController().signal

/** Another process is building at the same time. */
export class ReplayRuns extends Error {
  override name = 'ReplayRuns'
}

/** Rebuilds and swaps. @throws {ReplayRuns} {Ended} */
export const replay = (options: BuilderOptions): Promise<Progress> =>
  exclusively(options, 'refuse', async () => buildAndSwap(options))

/**
 * Like `replay`, for a projector whose tables cannot be continued. It waits for another process that builds. If the
 * tables are usable after that, it does nothing. @throws {NewerReadModels} {Ended}
 */
export const rebuild = (options: BuilderOptions): Promise<Progress> =>
  exclusively(options, 'wait', async () => {
    const { stored, reason } = await live(options, options.tables)
    if (isNewer(stored, options.definition)) throw new NewerReadModels()
    return reason === null ? { events: 0, seconds: 0, at: null } : buildAndSwap(options)
  })

const GONE = 'the newest event that they have was erased or has expired, and they have processed nothing since'

export interface Verified {
  progress: Progress
  /** Why the live read models could not be compared; null if they were compared. */
  incomparable: string | null
  /** Empty if every row equals the rebuilt one. */
  differences: Difference[]
}

/** Rebuilds, compares row by row at an equal checkpoint, and drops what it built. @throws {ReplayRuns} {Ended} */
export const verify = (options: BuilderOptions): Promise<Verified> =>
  exclusively(options, 'refuse', async () => {
    const { tables, definition } = options
    const { reason } = await live(options, tables)
    if (reason !== null) return { progress: { events: 0, seconds: 0, at: null }, incomparable: reason, differences: [] }
    const builder = await openBuilder(options, nextSchema(definition))
    try {
      // The live projector waits only until both have reached the same event and a snapshot is taken there.
      let comparing: Promise<Difference[]> = Promise.resolve([])
      let isComparable = false
      const compare = async (held: Statements): Promise<void> => {
        isComparable = !(await isLeft(held, definition, definition.schema))
        if (!isComparable) return
        await new Promise<void>((taken, failed) => {
          comparing = tables.transaction(async (snapshot) => {
            await snapshot.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
            await snapshot.query('SELECT 1')
            taken()
            return differences(snapshot, definition, definition.schema, nextSchema(definition))
          })
          comparing.catch(failed)
        })
      }
      while (!isComparable) {
        await finishLive(options)
        if (!(await whereLiveStands(options, builder, compare)))
          return { progress: builder.progress(), incomparable: GONE, differences: [] }
      }
      return { progress: builder.progress(), incomparable: null, differences: await comparing }
    } finally {
      await dropSchema(tables, nextSchema(definition))
    }
  })

const buildAndSwap = async (options: BuilderOptions): Promise<Progress> => {
  const { tables, definition } = options
  const { projector, schema } = definition
  await dropSchema(tables, oldSchema(definition))
  const builder = await openBuilder(options, nextSchema(definition))
  try {
    const swap = async (transaction: Statements, hasLive: boolean): Promise<void> => {
      if (hasLive) {
        await transaction.query(`DELETE FROM ${schema}.checkpoint WHERE projector = $1`, [projector])
        await transaction.query(`ALTER SCHEMA ${schema} RENAME TO ${oldSchema(definition)}`)
      }
      await transaction.query(renaming(definition, nextSchema(definition), schema))
    }
    await whereLiveStands(options, builder, swap, { orAhead: true })
  } catch (error) {
    // If the database is unavailable, the next replay drops what is left.
    await dropSchema(tables, nextSchema(definition)).catch(() => {})
    throw error
  }
  await dropSchema(tables, oldSchema(definition))
  return builder.progress()
}

/** Does what the live read models have left, so that they can be compared, even if no process projects. */
const finishLive = async ({ tables, definition }: BuilderOptions): Promise<void> => {
  const { schema, projector } = definition
  for (let isMore = true; isMore;)
    isMore = await tables.transaction(async (transaction) => {
      await readCheckpoint(transaction, schema, projector, { lock: true })
      if (!(await isLeft(transaction, definition, schema))) return false
      await transaction.query(partOf(definition, schema).text)
      return true
    })
}

interface Live {
  stored: StoredCheckpoint | null
  /** Why they cannot be continued, so that their checkpoint means nothing; null if they can. */
  reason: string | null
}

const live = async ({ store, definition }: BuilderOptions, database: Statements, lock = false): Promise<Live> => {
  const stored = await readCheckpoint(database, definition.schema, definition.projector, { lock })
  return { stored, reason: await reasonToRebuild(store, stored, definition) }
}

/** The position to build to: that of the live read models, or the end of the store if theirs means nothing. */
const target = async (store: EventStore, { stored, reason }: Live): Promise<Checkpoint | null> =>
  reason === null ? (stored?.anchor?.checkpoint ?? null) : store.end()

/**
 * Builds up to the position of the live read models, and does the work while their checkpoint is held there.
 * @param work  runs in the transaction that holds it; `hasLive` is false if there are none
 * @param more.orAhead  builds to the end of the store if no rebuild can stand where they stand, because the event there is gone
 * @returns whether the work was done
 */
const whereLiveStands = async (
  options: BuilderOptions,
  builder: Builder,
  work: (transaction: Statements, hasLive: boolean) => Promise<void>,
  { orAhead = false } = {},
): Promise<boolean> => {
  const { store, tables, definition } = options
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    const started = performance.now()
    await builder.to(await target(store, await live(options, tables)))
    if (performance.now() - started < SHORT_MS) break
  }
  return tables.transaction(async (transaction) => {
    const held = await live(options, transaction, true)
    await builder.to(await target(store, held))
    if (held.reason === null && held.stored?.anchor?.event_id !== builder.anchor()?.event_id) {
      if (!orAhead) return false
      await builder.to(await store.end())
    }
    await work(transaction, await isThere(transaction, definition.schema))
    return true
  })
}

const hasTurn = async (holding: Statements, { projector }: Definition): Promise<boolean> => {
  const lock = `hashtext('baoco replay ${projector}')`
  return (await holding.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS held`))[0]!.held
}

/** Does the work while no replay of the projector can begin. Does nothing if one runs. */
export const unlessBuilding = (
  tables: ReadModelTables,
  definition: Definition,
  work: () => Promise<void>,
): Promise<void> =>
  tables.transaction(async (holding) => {
    if (await hasTurn(holding, definition)) await work()
  })

/** Allows one replay of a projector at a time, by a lock that ends with its holder. @throws {Ended} if the signal aborts before its turn */
const exclusively = <Result>(
  { tables, definition, signal = NEVER }: BuilderOptions,
  otherwise: 'wait' | 'refuse',
  work: () => Promise<Result>,
): Promise<Result> =>
  tables.transaction(async (holding) => {
    while (!(await hasTurn(holding, definition))) {
      if (otherwise === 'refuse') throw new ReplayRuns('another process is building the read models at this moment')
      await waitUnlessAborted(TURN_EVERY_MS, signal)
      if (signal.aborted) throw new Ended('ended before the read models were built')
    }
    return work()
  })
