// Tests: tests/integration/scheduled/expire-daily.test.ts
/** When the last scavenge began: the row of `ops.scavenge`. */
import type { RemovalMemory } from '../../../workflows/scheduled/expire-daily.ts'
import type { Queryable } from '../../database/database.ts'

export const openRemovalMemory = (database: Queryable): RemovalMemory => ({
  lastBegun: async () => {
    const [row] = await database.query<{ begun_at: string }>('SELECT begun_at FROM ops.scavenge')
    return row ? new Date(row.begun_at) : null
  },
  begins: async (at) => {
    await database.query(
      `INSERT INTO ops.scavenge (begun_at) VALUES ($1) ON CONFLICT (one) DO UPDATE SET begun_at = excluded.begun_at`,
      [at.toISOString()],
    )
  },
})
