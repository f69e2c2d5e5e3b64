// Tests: tests/integration/reactors/run.test.ts
/** The progress of store readers that keep one position each: `ops.reaction_checkpoint`, `ops.credits_checkpoint`. */
import type { StorePosition } from '../../../workflows/support/store-position.ts'
import type { Queryable } from '../../database/database.ts'

const openCheckpoint = (database: Queryable, table: 'reaction_checkpoint' | 'credits_checkpoint') => ({
  /** @returns null before the first save */
  load: async (): Promise<StorePosition | null> => {
    const [row] = await database.query<StorePosition>(`SELECT checkpoint, event_id, stream, revision FROM ops.${table}`)
    return row ?? null
  },
  save: async ({ checkpoint, event_id, stream, revision }: StorePosition): Promise<void> => {
    await database.query(
      `INSERT INTO ops.${table} (checkpoint, event_id, stream, revision) VALUES ($1, $2, $3, $4)
        ON CONFLICT (only_row) DO UPDATE SET checkpoint = excluded.checkpoint, event_id = excluded.event_id,
          stream = excluded.stream, revision = excluded.revision, updated_at = now()`,
      [checkpoint, event_id, stream, revision],
      `${table}_save`,
    )
  },
})

/** Implements the checkpoint that `workflows/reactors/run.ts` requires. */
export const openReactorCheckpoint = (database: Queryable) => openCheckpoint(database, 'reaction_checkpoint')

/** See `workflows/credits/remember-credits.ts`. */
export const openCreditsCheckpoint = (database: Queryable) => openCheckpoint(database, 'credits_checkpoint')
