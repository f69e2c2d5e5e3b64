// Tests: tests/integration/store-migration/commands.test.ts
/**
 * Positions in the store that the operational tables contain. They are carried over when the events move to another store.
 */
import type { StorePosition } from '../../../workflows/support/store-position.ts'
import type { Queryable } from '../../database/database.ts'
import { forgetAuditPosition } from './last-audit.ts'
import { openReactorCheckpoint } from './reactor-checkpoint.ts'
import { openRelayCheckpoint } from './relay-checkpoint.ts'

/** The readers of the store, by their names in the exported event file: `reactions`, `relay <topic>`. */
export const readersOfStore = async (database: Queryable): Promise<Record<string, StorePosition>> => {
  const reactions = await openReactorCheckpoint(database).load()
  const relays = await database.query<StorePosition & { topic: string }>(
    'SELECT topic, checkpoint, event_id, stream, revision FROM ops.relay_checkpoint',
  )
  const named = relays.map(({ topic, ...position }): [string, StorePosition] => [relayOf(topic), position])
  return { ...(reactions && { reactions }), ...Object.fromEntries(named) }
}

const RELAY = 'relay '
export const relayOf = (topic: string): string => RELAY + topic

/**
 * Sets every reader to its position in the new store.
 * @param deliveredFrom  the start of the log that feeds delivery; earlier events are left to the queue
 */
export const setReaders = async (
  database: Queryable,
  readers: Readonly<Record<string, StorePosition>>,
  deliveredFrom: { group: string; checkpoint: string },
): Promise<void> => {
  for (const [reader, position] of Object.entries(readers)) {
    if (reader === 'reactions') await openReactorCheckpoint(database).save(position)
    if (!reader.startsWith(RELAY)) continue
    const relay = openRelayCheckpoint(database, reader.slice(RELAY.length))
    await relay.advance(await relay.load(), position)
  }
  const { group, checkpoint } = deliveredFrom
  // Positions in another store have no meaning in this one.
  await database.query('UPDATE ops.log_offset SET checkpoint = $1, updated_at = now()', [checkpoint])
  await database.query(
    'INSERT INTO ops.log_offset (consumer_group, checkpoint) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [group, checkpoint],
  )
  await forgetAuditPosition(database)
}

/** Imported events of these streams count their age from the time of the decision, not of the import. */
export const ageFromDecision = async (database: Queryable, prefixes: readonly string[]): Promise<void> => {
  for (const prefix of prefixes)
    await database.query(
      `UPDATE store.event SET created_at = least(created_at, (metadata::json ->> 'at')::timestamptz)
        WHERE stream >= $1 AND stream < $1 || chr(1114111)`,
      [prefix],
    )
}
