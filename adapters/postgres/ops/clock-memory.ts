// Tests: tests/integration/scheduled/believed-clock.test.ts
/** When the clocks were last seen: the row of `ops.clock`. */
import type { SeenClock } from '../../../domain/clock.ts'
import type { ClockMemory } from '../../../workflows/scheduled/believed-clock.ts'
import type { Queryable } from '../../database/database.ts'

interface Row {
  now: string
  seen_at: string | null
  doubted_until: string | null
}

export const openClockMemory = (database: Queryable): ClockMemory => ({
  recall: async () => {
    const [row] = await database.query<Row>(
      'SELECT now() AS now, c.* FROM (SELECT) AS one LEFT JOIN ops.clock c ON true',
    )
    const { now, seen_at, doubted_until } = row!
    return { now: new Date(now), before: seen_at === null ? null : { seen_at, doubted_until } }
  },
  keep: async ({ seen_at, doubted_until }: SeenClock) => {
    await database.query(
      `INSERT INTO ops.clock (seen_at, doubted_until) VALUES ($1, $2)
       ON CONFLICT (one) DO UPDATE SET seen_at = excluded.seen_at, doubted_until = excluded.doubted_until`,
      [seen_at, doubted_until],
    )
  },
})
