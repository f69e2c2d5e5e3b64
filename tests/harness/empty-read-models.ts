/** The empty read models of this version. A first start creates them. Databases of tests are copied from one that has them. */
import { openDatabase } from '../../adapters/database/database.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import { projectors } from '../../projections/all.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { versionOf } from '../../projections/engine/sql.ts'

const definitions = projectors(readSettings({}))

/** Differs if the tables differ. */
export const versionOfReadModels = (): string => definitions.map(versionOf).join()

/** @param url  of a migrated database */
export const createReadModels = async (url: string): Promise<void> => {
  const database = openDatabase(url, { poolSize: 1 })
  const tables = openReadModelTables(database)
  try {
    for (const definition of definitions) await createSchema(tables, definition)
  } finally {
    await tables.close()
    await database.close()
  }
}
