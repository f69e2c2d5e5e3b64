// Tests: tests/chaos/store-went-back.test.ts
/** The transactions that the read models know, to find those that the event store has lost. */
import type { Queryable } from '../../../projections/engine/queryable.ts'

const areThere = async (database: Queryable): Promise<boolean> =>
  (
    await database.query<{ there: boolean }>(
      `SELECT to_regclass('read_model.transaction') IS NOT NULL AND to_regclass('read_model.attempt') IS NOT NULL AS there`,
    )
  )[0]!.there

/** The highest id of a transaction or an attempt; 0 if none is known. */
export const highestId = async (database: Queryable): Promise<number> => {
  if (!(await areThere(database))) return 0
  const [row] = await database.query<{ id: number | null }>(
    'SELECT greatest((SELECT max(id) FROM read_model.transaction), (SELECT max(id) FROM read_model.attempt)) AS id',
  )
  return row!.id ?? 0
}

/** @param below  only ids below this one; null: all · @returns the newest ids, in descending order; none if there are no read models */
export const newestTransactions = async (
  database: Queryable,
  below: number | null,
  limit: number,
): Promise<number[]> => {
  if (!(await areThere(database))) return []
  const rows = await database.query<{ id: number }>(
    'SELECT id FROM read_model.transaction WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT $2',
    [below, limit],
  )
  return rows.map(({ id }) => id)
}
