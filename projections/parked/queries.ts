// Tests: tests/integration/projections/parking.test.ts
/** Parked streams, for the operator. */
import type { Definition } from '../engine/definition.ts'
import type { ParkedStream } from '../engine/parked-table.ts'
import type { Queryable } from '../engine/queryable.ts'

/** SQLSTATE undefined_table. */
const NO_TABLE = '42P01'

/** @returns a stream once for each of the read models that parked it; none of read models that do not exist yet */
export const parkedStreams = async (
  database: Queryable,
  ...readModels: readonly Pick<Definition, 'schema'>[]
): Promise<ParkedStream[]> => {
  const parked: ParkedStream[] = []
  for (const { schema } of readModels)
    try {
      parked.push(
        ...(await database.query<ParkedStream>(
          `SELECT stream, revision, event_id, position, type, reason, detail, since FROM ${schema}.parked ORDER BY since, stream`,
        )),
      )
    } catch (error) {
      if ((error as { code?: unknown }).code !== NO_TABLE) throw error
    }
  return parked
}
