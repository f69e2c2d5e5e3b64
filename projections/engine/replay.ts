/**
 * Read models built anew from the first event, beside the live ones, which go on meanwhile; then put in their place by
 * renaming both schemas in one transaction, at the very event the live ones stand at, whose checkpoint row is held for
 * that moment.
 *
 * The live row is deleted before the rename. A projector that waited for it then finds nothing to move and looks again: the
 * names lead it to the new tables, at the checkpoint it had. Without that it would move the old row and write to the new
 * tables.
 */
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { Builder, type BuilderOptions, type Progress } from './builder.ts'
import { readCheckpoint, reasonToRebuild, type Stored } from './checkpoint.ts'
import type { Statements } from './tables.ts'
import { dropSchema, nextSchema, oldSchema, renaming } from './schema.ts'
import { versionOf } from './sql.ts'
import { differences, type Difference } from './verify.ts'

/** A round that took less than this leaves so little that the live projector may wait for the rest: milliseconds. */
const SHORT_MS = 250
/** Under a load that is never caught up with, the live projector waits a bit longer in the end. */
const MOST_ROUNDS = 20

/** Another process is building at this moment. */
export class ReplayRuns extends Error {
  override name = 'ReplayRuns'
}

/** Builds anew and swaps. @throws {ReplayRuns} {Ended} */
export const replay = (options: BuilderOptions): Promise<Progress> =>
  exclusively(options, 'refuse', async () => buildAndSwap(options))

/**
 * As `replay`, for a projector whose tables cannot be gone on with: waits for another one that builds, and leaves it at
 * that where its tables will do.
 */
export const rebuild = (options: BuilderOptions): Promise<Progress> =>
  exclusively(options, 'wait', async () => {
    const { usable } = await live(options, options.tables)
    return usable ? { events: 0, seconds: 0, at: null } : buildAndSwap(options)
  })

export interface Verified {
  progress: Progress
  /** Why the live read models were not compared at all; null when they were. */
  incomparable: string | null
  /** Empty when every row is as it would be built anew. */
  differences: Difference[]
}

/** Builds anew, compares row for row at an equal checkpoint, and drops what it built. @throws {ReplayRuns} {Ended} */
export const verify = (options: BuilderOptions): Promise<Verified> =>
  exclusively(options, 'refuse', async () => {
    const { tables, definition } = options
    const { reason } = await live(options, tables)
    if (reason !== null) return { progress: { events: 0, seconds: 0, at: null }, incomparable: reason, differences: [] }
    const builder = await Builder.open(options, nextSchema(definition))
    try {
      // The live projector waits only until both stand at one event and a snapshot is taken there.
      let comparing: Promise<Difference[]> = Promise.resolve([])
      await whereLiveStands(options, builder, async () => {
        await new Promise<void>((taken, failed) => {
          comparing = tables.transaction(async (snapshot) => {
            await snapshot.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
            await snapshot.query('SELECT 1')
            taken()
            return differences(snapshot, definition, definition.schema, nextSchema(definition))
          })
          comparing.catch(failed)
        })
      })
      return { progress: builder.progress, incomparable: null, differences: await comparing }
    } finally {
      await dropSchema(tables, nextSchema(definition))
    }
  })

const buildAndSwap = async (options: BuilderOptions): Promise<Progress> => {
  const { tables, definition } = options
  const { projector, schema } = definition
  await dropSchema(tables, oldSchema(definition))
  const builder = await Builder.open(options, nextSchema(definition))
  try {
    await whereLiveStands(options, builder, async (transaction, isThere) => {
      if (isThere) {
        await transaction.query(`DELETE FROM ${schema}.checkpoint WHERE projector = $1`, [projector])
        await transaction.query(`ALTER SCHEMA ${schema} RENAME TO ${oldSchema(definition)}`)
      }
      await transaction.query(renaming(definition, nextSchema(definition), schema))
    })
  } catch (error) {
    // What cannot be cleared up now, with the database away, is by the next one.
    await dropSchema(tables, nextSchema(definition)).catch(() => {})
    throw error
  }
  await dropSchema(tables, oldSchema(definition))
  return builder.progress
}

interface Live {
  stored: Stored | null
  /** Whether they can be gone on with; only then their checkpoint means anything. */
  usable: boolean
  reason: string | null
}

const live = async ({ store, definition }: BuilderOptions, database: Statements, lock = false): Promise<Live> => {
  const stored = await readCheckpoint(database, definition.schema, definition.projector, { lock })
  const reason = await reasonToRebuild(store, stored, versionOf(definition))
  return { stored, usable: reason === null, reason }
}

/** Where to build to: the live one's place, or the store's end where that means nothing. */
const target = async (store: EventStore, { stored, usable }: Live): Promise<Checkpoint | null> =>
  usable ? (stored?.anchor?.checkpoint ?? null) : store.end()

/**
 * Builds up to where the live read models stand, and does the work while their checkpoint is held there.
 * @param work  in the transaction that holds it; `isThere` is false where there are no live ones
 */
const whereLiveStands = async (
  options: BuilderOptions,
  builder: Builder,
  work: (transaction: Statements, isThere: boolean) => Promise<void>,
): Promise<void> => {
  const { store, tables, definition } = options
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    const started = performance.now()
    await builder.to(await target(store, await live(options, tables)))
    if (performance.now() - started < SHORT_MS) break
  }
  await tables.transaction(async (transaction) => {
    const held = await live(options, transaction, true)
    await builder.to(await target(store, held))
    if (held.usable && held.stored?.anchor?.event_id !== builder.anchor?.event_id)
      throw new Error('the checkpoint of the live read models is not in the event store: nothing was changed')
    await work(transaction, await isThere(transaction, definition.schema))
  })
}

const isThere = async (database: Statements, schema: string): Promise<boolean> =>
  (await database.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).length > 0

/** One replay of a projector at a time, by a lock that ends with its holder. */
const exclusively = <Result>(
  { tables, definition }: BuilderOptions,
  otherwise: 'wait' | 'refuse',
  work: () => Promise<Result>,
): Promise<Result> =>
  tables.transaction(async (holding) => {
    const lock = `hashtext('baoco replay ${definition.projector}')`
    if (otherwise === 'wait') await holding.query(`SELECT pg_advisory_xact_lock(${lock})`)
    else {
      const [answer] = await holding.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS held`)
      if (!answer!.held) throw new ReplayRuns('another process is building the read models at this moment')
    }
    return work()
  })
