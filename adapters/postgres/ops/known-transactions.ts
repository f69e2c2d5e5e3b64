// Tests: tests/chaos/store-went-back.test.ts
/** The transactions that the read models know, to find those that the event store has lost. */
import type { Queryable } from '../../../projections/engine/queryable.ts'

/** @param below  only ids below this one; null: all · @returns the newest ids, in descending order; none if there are no read models */
export const newestTransactions = async (
  database: Queryable,
  below: number | null,
  limit: number,
): Promise<number[]> => {
  const [found] = await database.query<{ there: boolean }>(
    `SELECT to_regclass('read_model.transaction') IS NOT NULL AS there`,
  )
  if (!found!.there) return []
  const rows = await database.query<{ id: number }>(
    'SELECT id FROM read_model.transaction WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT $2',
    [below, limit],
  )
  return rows.map(({ id }) => id)
}
