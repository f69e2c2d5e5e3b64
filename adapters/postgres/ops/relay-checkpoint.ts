// Tests: tests/integration/kafka/relay.test.ts
/**
 * The relay's progress, in `ops.relay_checkpoint`. There is one row per topic, because a new topic gets the whole history.
 */
import type { StorePosition } from '../../../workflows/support/store-position.ts'
import type { RelayCheckpoint } from '../../../workflows/relay/relay.ts'
import type { Queryable } from '../../database/database.ts'

const LOAD = 'SELECT checkpoint, event_id, stream, revision FROM ops.relay_checkpoint WHERE topic = $1'

/**
 * Moves the checkpoint only from the position that the relay last saw, or, if an answer was lost, from the new position
 * itself. Does not wait for the disk: if a crash undoes a step, the events are sent again, which readers expect.
 */
const ADVANCE = `
WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO ops.relay_checkpoint AS c (topic, checkpoint, event_id, stream, revision)
  SELECT $1, $2, $3, $4, $5 FROM quick
ON CONFLICT (topic) DO UPDATE SET checkpoint = excluded.checkpoint, event_id = excluded.event_id,
  stream = excluded.stream, revision = excluded.revision, updated_at = now()
  WHERE c.checkpoint IN ($6, excluded.checkpoint)
RETURNING 1`

export const openRelayCheckpoint = (database: Queryable, topic: string): RelayCheckpoint => ({
  load: async () => (await database.query<StorePosition>(LOAD, [topic], 'relay_checkpoint_load'))[0] ?? null,
  advance: async (from, { checkpoint, event_id, stream, revision }) => {
    const values = [topic, checkpoint, event_id, stream, revision, from?.checkpoint ?? null]
    return (await database.query(ADVANCE, values, 'relay_checkpoint_advance')).length > 0
  },
})

const MOVE = `
UPDATE ops.relay_checkpoint SET checkpoint = $2, event_id = $3, stream = $4, revision = $5, updated_at = now()
 WHERE topic = $1`

/** Moves the checkpoint, forwards or back. A running relay detects that and continues from there. */
export const moveRelayCheckpoint = async (
  database: Queryable,
  topic: string,
  { checkpoint, event_id, stream, revision }: StorePosition,
): Promise<void> => void (await database.query(MOVE, [topic, checkpoint, event_id, stream, revision]))
