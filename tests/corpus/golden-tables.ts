/**
 * The golden file of the tables of the last release: every column with its type. `npm run golden-tables` writes it, once for each release. In
 * between, tables and columns may only be added, because processes of the last release use them during a rolling upgrade.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../adapters/database/database.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import { projectors } from '../../projections/all.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { freshDatabase } from '../harness/postgres.ts'

/** The type of each column, by `schema.table.column`. */
export type Columns = Readonly<Record<string, string>>

const FILE = new URL('tables.json', import.meta.url)

export const goldenColumns = (): Columns => JSON.parse(readFileSync(FILE, 'utf8')) as Columns

/** The columns that this release creates in an empty database. */
export const presentColumns = async (): Promise<Columns> => {
  const testDatabase = await freshDatabase()
  try {
    const database = openDatabase(testDatabase.url, { poolSize: 2 })
    const tables = openReadModelTables(database)
    for (const definition of projectors(readSettings({}))) await createSchema(tables, definition)
    const columns = await database.query<{ name: string; type: string }>(
      `SELECT concat_ws('.', n.nspname, c.relname, a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
         AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
       ORDER BY n.nspname, c.relname, a.attnum`,
    )
    await tables.close()
    await database.close()
    return Object.fromEntries(columns.map(({ name, type }) => [name, type]))
  } finally {
    await testDatabase.drop()
  }
}

/** @returns the columns that are gone or have another type, in words */
export const breaches = (before: Columns, now: Columns): string[] =>
  Object.entries(before).flatMap(([name, type]) => {
    if (now[name] === undefined) return [`${name} was removed`]
    return now[name] === type ? [] : [`${name} was ${type} and is ${now[name]}`]
  })

if (process.argv[1]?.endsWith('golden-tables.ts')) {
  writeFileSync(FILE, `${JSON.stringify(await presentColumns(), null, 2)}\n`)
  process.exit(0)
}
