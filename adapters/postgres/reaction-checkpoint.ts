/** How far reactions have come, in `ops.reaction_checkpoint`. */
import type { Queryable } from './database.ts'

interface Place {
  checkpoint: string
  event_id: string
  stream: string
  revision: number
}

/** See `workflows/reactions/run.ts`, whose needs this meets. */
export const openReactionCheckpoint = (database: Queryable) => ({
  /** @returns null before the first */
  load: async (): Promise<Place | null> => {
    const [row] = await database.query<Place>(
      'SELECT checkpoint, event_id, stream, revision FROM ops.reaction_checkpoint',
    )
    return row ?? null
  },
  save: async ({ checkpoint, event_id, stream, revision }: Place): Promise<void> => {
    await database.query(
      `INSERT INTO ops.reaction_checkpoint (checkpoint, event_id, stream, revision) VALUES ($1, $2, $3, $4)
        ON CONFLICT (only_row) DO UPDATE SET checkpoint = excluded.checkpoint, event_id = excluded.event_id,
          stream = excluded.stream, revision = excluded.revision, updated_at = now()`,
      [checkpoint, event_id, stream, revision],
      'reaction_checkpoint_save',
    )
  },
})
