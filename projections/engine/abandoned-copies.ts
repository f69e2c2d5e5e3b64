// Tests: tests/integration/projections/replay.test.ts
/**
 * A killed replay leaves a copy of the read models behind. Nothing keeps that copy up to date, so rows of accounts that are deleted later would
 * stay in it.
 */
import { type ScheduledJob, removing } from '../../workflows/scheduled/scheduled-work.ts'
import type { Definition } from './definition.ts'
import { unlessBuilding } from './replay.ts'
import { dropSchema, isThere, nextSchema, oldSchema } from './schema.ts'
import type { ReadModelTables } from './tables.ts'

/** Does nothing while a replay runs. @returns how many schemas it dropped */
export const dropAbandonedCopies = async (
  tables: ReadModelTables,
  definitions: readonly Definition[],
): Promise<number> => {
  let dropped = 0
  for (const definition of definitions)
    await unlessBuilding(tables, definition, async () => {
      for (const schema of [nextSchema(definition), oldSchema(definition)]) {
        if (!(await isThere(tables, schema))) continue
        await dropSchema(tables, schema)
        dropped++
      }
    })
  return dropped
}

const EVERY_HOUR = '42 * * * *'

export const sweepAbandonedCopies = (tables: ReadModelTables, definitions: readonly Definition[]): ScheduledJob =>
  removing('sweep_abandoned_copies', EVERY_HOUR, () => dropAbandonedCopies(tables, definitions), 'dropped')
