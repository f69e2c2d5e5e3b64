// Tests: tests/contract/log/embedded.test.ts
/** A consumer group's position in the store, in `ops.log_offset`. */
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { Database } from '../database/database.ts'

/** @returns null for a group that has never committed an offset */
export const readOffset = async (database: Database, group: string): Promise<Checkpoint | null> => {
  const [row] = await database.query<{ checkpoint: Checkpoint }>(
    'SELECT checkpoint FROM ops.log_offset WHERE consumer_group = $1',
    [group],
    'log_offset_read',
  )
  return row?.checkpoint ?? null
}

/**
 * Moves the group's offset forward to a checkpoint, never back: another consumer of the group may be further.
 *
 * Does not wait for the disk. If a crash loses the offset, some batches are handed over again, which consumers expect. The
 * setting applies only to this statement's own transaction.
 * @param known  the group's offset when last seen. If it is unchanged, one statement is enough.
 * @returns the group's offset now
 */
export const commitOffset = async (
  database: Database,
  store: Pick<EventStore, 'isAfter'>,
  group: string,
  checkpoint: Checkpoint,
  known: Checkpoint | null,
): Promise<Checkpoint> => {
  for (let seen = known; ;) {
    if (seen !== null && !store.isAfter(checkpoint, seen)) return seen
    const moved = await database.query(
      `WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
       INSERT INTO ops.log_offset AS o (consumer_group, checkpoint) SELECT $1, $2 FROM quick
       ON CONFLICT (consumer_group) DO UPDATE SET checkpoint = excluded.checkpoint, updated_at = now()
         WHERE o.checkpoint = $3
       RETURNING checkpoint`,
      [group, checkpoint, seen],
      'log_offset_commit',
    )
    if (moved.length > 0) return checkpoint
    // Another consumer of the group has moved it.
    seen = await readOffset(database, group)
  }
}

/** Removes all offsets, because the positions they name are gone. The log then begins with the first event of the store. */
export const forgetOffsets = async (database: Database): Promise<void> => {
  await database.query('DELETE FROM ops.log_offset')
}
