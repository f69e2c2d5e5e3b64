// Tests: tests/integration/projections/replay.test.ts
/**
 * The position of a projector. It is stored in the schema of the projector's tables and moves in the same transaction
 * as their rows. It holds the last applied event: its id, its stream and its revision in that stream. If the store does
 * not hold that exact event at startup (it was restored from an older backup, or it is a different store), the read
 * models are rebuilt. The projector continues after that event, not after the point to which it had read ahead, so it
 * misses nothing that a restored store wrote in between.
 */
import type { RecordedEvent } from '../../domain/event.ts'
import { isTombstone } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { Statements } from './tables.ts'
import { statementName, type SqlStatement } from './sql.ts'

/** The last event applied. */
export interface Anchor {
  checkpoint: Checkpoint
  event_id: string
  stream: string
  revision: number
}

export interface Stored {
  version: string
  /** null before the first event */
  anchor: Anchor | null
  /**
   * How far the store was read: the anchor's position, or a later one if only events of other streams followed the
   * anchor.
   */
  passed: Checkpoint | null
}

export const anchorOf = ({ checkpoint, id, stream, revision }: RecordedEvent): Anchor => ({
  checkpoint,
  event_id: id,
  stream,
  revision,
})

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
}

const isThere = async (database: Statements, schema: string): Promise<boolean> =>
  (
    await database.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.checkpoint`])
  )[0]!.there

/** @param lock  holds the row until the end of the transaction · @returns null if there are no read models */
export const readCheckpoint = async (
  database: Statements,
  schema: string,
  projector: string,
  { lock = false } = {},
): Promise<Stored | null> => {
  if (!(await isThere(database, schema))) return null
  const [row] = await database.query<Row>(
    `SELECT version, checkpoint, event_id, stream, revision, passed FROM ${schema}.checkpoint
      WHERE projector = $1 ${lock ? 'FOR UPDATE' : ''}`,
    [projector],
  )
  if (!row) return null
  const { version, checkpoint, event_id, stream, revision, passed } = row
  if (checkpoint === null || event_id === null || stream === null || revision === null)
    return { version, anchor: null, passed }
  return { version, anchor: { checkpoint, event_id, stream, revision }, passed }
}

/** Moves the checkpoint from exactly where this projector left it. Changes no row if another process has moved it. */
export const moveOn = (
  schema: string,
  { projector, version }: { projector: string; version: string },
  from: Anchor | null,
  to: Anchor | null,
  { passed, at }: { passed: Checkpoint; at: string | null },
): SqlStatement => {
  const text = `UPDATE ${schema}.checkpoint
    SET checkpoint = $5, event_id = $6, stream = $7, revision = $8, passed = $9, updated_at = coalesce($10, updated_at)
    WHERE projector = $1 AND version = $2
      AND checkpoint IS NOT DISTINCT FROM $3 AND event_id IS NOT DISTINCT FROM $4`
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

/** Whether the store still holds the event at its position. */
const isInStore = async (store: EventStore, { stream, revision, event_id, checkpoint }: Anchor): Promise<boolean> => {
  const [slice] = await store.read([{ stream, from: revision, limit: 1 }])
  const [event] = slice ?? []
  // The stream was deleted in the store since. Nothing there can be compared any more.
  if (event && isTombstone(event)) return true
  return event?.id === event_id && event.checkpoint === checkpoint
}

/** Why the read models must be rebuilt; null if they can be continued. */
export const reasonToRebuild = async (
  store: EventStore,
  stored: Stored | null,
  version: string,
): Promise<string | null> => {
  if (!stored) return 'there are none yet'
  if (stored.version !== version) return 'their definition has changed'
  if (stored.anchor && !(await isInStore(store, stored.anchor)))
    return 'the last event they were built from is not in the store'
  return null
}
