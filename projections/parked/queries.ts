// Tests: tests/integration/projections/parking.test.ts
/** Parked streams, for the operator. */
import type { Definition } from '../engine/definition.ts'
import type { ParkedStream } from '../engine/parked-table.ts'
import type { Queryable } from '../engine/queryable.ts'

/** @returns none if the read models do not exist yet */
export const parkedStreams = async (
  database: Queryable,
  { schema }: Pick<Definition, 'schema'>,
): Promise<ParkedStream[]> => {
  const [{ there } = { there: false }] = await database.query<{ there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS there',
    [`${schema}.parked`],
  )
  if (!there) return []
  return database.query<ParkedStream>(
    `SELECT stream, revision, event_id, position, type, reason, detail, since FROM ${schema}.parked ORDER BY since, stream`,
  )
}
