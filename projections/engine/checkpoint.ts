// Tests: tests/integration/projections/replay.test.ts
/**
 * The checkpoint of a projector. It is stored in the schema of the projector's tables and moves in the same transaction as their rows. Its
 * anchor is the last applied event. If the store shows at startup that it never had that event (it was restored from an older backup, or it is
 * a different store), the read models are rebuilt. An event that was erased or has expired since does not cause that. The projector continues after
 * the anchor, not after the point to which it had read ahead, so it misses nothing that a restored store wrote in between.
 */
import { isTombstone } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { isAtOrAfter, type StorePosition } from '../../workflows/support/store-position.ts'
import type { Definition } from './definition.ts'
import type { Statements } from './tables.ts'
import { statementName, versionOf, type SqlStatement } from './sql.ts'

/** The checkpoint as it is stored. */
export interface StoredCheckpoint {
  version: string
  /** The last applied event; null before the first one. */
  anchor: StorePosition | null
  /**
   * How far the store was read: the anchor's position, or a later one if only events of other streams followed the
   * anchor.
   */
  passed: Checkpoint | null
  /** Seconds since the newest applied event was decided, by the clock of the database; null if none has a time. */
  age: number | null
}

/** A newer version of Baoco has built the read models. This version does not touch them. */
export class NewerReadModels extends Error {
  override name = 'NewerReadModels'
  constructor() {
    super('a newer version of Baoco maintains these read models')
  }
}

/** 0 for versions that did not count generations yet. */
const generationOf = (version: string): number => Number(/^(\d+)\./.exec(version)?.[1] ?? 0)

/** Whether a newer version of Baoco has built the stored read models. */
export const isNewer = (stored: StoredCheckpoint | null, { generation }: Pick<Definition, 'generation'>): boolean =>
  stored !== null && generationOf(stored.version) > generation

/** Whether an older version of Baoco has built the stored read models. */
export const isOlder = (stored: StoredCheckpoint | null, { generation }: Pick<Definition, 'generation'>): boolean =>
  stored !== null && generationOf(stored.version) < generation

export const checkpointDdl = (schema: string): string => `CREATE TABLE ${schema}.checkpoint (
  projector text PRIMARY KEY, checkpoint text, event_id uuid, version text NOT NULL,
  stream text, revision integer, passed text, updated_at timestamptz)`

interface Row {
  version: string
  checkpoint: string | null
  event_id: string | null
  stream: string | null
  revision: number | null
  passed: string | null
  age: number | null
}

const hasCheckpoint = async (database: Statements, schema: string): Promise<boolean> =>
  (
    await database.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.checkpoint`])
  )[0]!.there

/** @param lock  holds the row until the end of the transaction · @returns null if there are no read models */
export const readCheckpoint = async (
  database: Statements,
  schema: string,
  projector: string,
  { lock = false } = {},
): Promise<StoredCheckpoint | null> => {
  if (!(await hasCheckpoint(database, schema))) return null
  const [row] = await database.query<Row>(
    `SELECT version, checkpoint, event_id, stream, revision, passed, extract(epoch FROM now() - updated_at)::float AS age
      FROM ${schema}.checkpoint
      WHERE projector = $1 ${lock ? 'FOR UPDATE' : ''}`,
    [projector],
  )
  if (!row) return null
  const { version, checkpoint, event_id, stream, revision, passed, age } = row
  if (checkpoint === null || event_id === null || stream === null || revision === null)
    return { version, anchor: null, passed, age }
  return { version, anchor: { checkpoint, event_id, stream, revision }, passed, age }
}

/** The checkpoint, if it is where this projector left it. */
const WHERE_LEFT = `WHERE projector = $1 AND version = $2
  AND checkpoint IS NOT DISTINCT FROM $3 AND event_id IS NOT DISTINCT FROM $4`

/** Moves the checkpoint from exactly where this projector left it. Changes no row if another process has moved it. */
export const moveOn = (
  schema: string,
  { projector, version }: { projector: string; version: string },
  from: StorePosition | null,
  to: StorePosition | null,
  { passed, at }: { passed: Checkpoint; at: string | null },
): SqlStatement => {
  const text = `UPDATE ${schema}.checkpoint
    SET checkpoint = $5, event_id = $6, stream = $7, revision = $8, passed = $9, updated_at = coalesce($10, updated_at)
    ${WHERE_LEFT}`
  const position = to ?? { checkpoint: null, event_id: null, stream: null, revision: null }
  return {
    name: statementName(text),
    text,
    values: [
      projector, version, from?.checkpoint ?? null, from?.event_id ?? null,
      position.checkpoint, position.event_id, position.stream, position.revision, passed, at,
    ], // prettier-ignore
  }
}

/** Touches the checkpoint where this projector left it. Changes no row if another process has moved it. */
export const stay = (
  schema: string,
  { projector, version }: { projector: string; version: string },
  at: StorePosition | null,
): SqlStatement => {
  const text = `UPDATE ${schema}.checkpoint SET version = version ${WHERE_LEFT}`
  return {
    name: statementName(text),
    text,
    values: [projector, version, at?.checkpoint ?? null, at?.event_id ?? null],
  }
}

/** Whether the store is the one that the read models were built from, and has not gone back behind them. */
const isInStore = async (
  store: EventStore,
  { anchor, age }: StoredCheckpoint,
  { keptFor }: Pick<Definition, 'keptFor'>,
): Promise<boolean> => {
  if (anchor === null) return true
  const { stream, revision, event_id, checkpoint } = anchor
  const [[found] = []] = await store.read([{ stream, from: revision, limit: 1 }])
  if (found) {
    // The stream was deleted in the store since. Nothing there can be compared.
    if (isTombstone(found)) return true
    if (found.revision === revision) return found.id === event_id && found.checkpoint === checkpoint
  }
  // The stream was erased since, up to a later event.
  if (!found) return hasExpired(store, anchor, age, { keptFor })
  return isAtOrAfter(found.checkpoint, checkpoint, (a, b) => store.isAfter(a, b))
}

/**
 * Whether an event that its stream does not have may have expired.
 * @param age  seconds for which nothing was applied; null if that is not known
 */
export const hasExpired = async (
  store: Pick<EventStore, 'end' | 'isAfter'>,
  { stream, checkpoint }: Pick<StorePosition, 'stream' | 'checkpoint'>,
  age: number | null,
  { keptFor }: Pick<Definition, 'keptFor'>,
): Promise<boolean> => {
  const kept = keptFor(stream)
  if (kept === null || age === null || age <= kept) return false
  const end = await store.end()
  return end !== null && isAtOrAfter(end, checkpoint, (a, b) => store.isAfter(a, b))
}

/** Why the read models cannot be continued; null if they can. They are rebuilt, unless they are of a newer version. */
export const reasonToRebuild = async (
  store: EventStore,
  stored: StoredCheckpoint | null,
  definition: Definition,
): Promise<string | null> => {
  const version = versionOf(definition)
  if (!stored) return 'there are none yet'
  if (isNewer(stored, definition)) return 'a newer version of Baoco has built them'
  if (stored.version !== version) return 'their definition has changed'
  if (!(await isInStore(store, stored, definition))) return 'the last event they were built from is not in the store'
  return null
}
