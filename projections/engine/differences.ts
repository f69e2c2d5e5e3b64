// Tests: tests/integration/projections/replay-command.test.ts
/** Compares two schemas of read models, row by row. */
import type { Definition, Table } from './definition.ts'
import type { Statements } from './tables.ts'

/** Rows of a table that differ. Their values are left out, because they are personal data. */
export interface Difference {
  table: string
  /** The number of all rows that differ. */
  rows: number
  /** The first of these rows. */
  examples: {
    key: Record<string, unknown>
    /** Columns that differ; null if one side has no such row. */
    columns: string[] | null
    only_in: 'live' | 'rebuilt' | null
  }[]
  /** Settings that may explain the examples: a changed one counts only for rows that are written after the change. */
  settings: string[]
}

const EXAMPLES = 20

interface Row {
  key: Record<string, unknown>
  live: boolean
  rebuilt: boolean
  columns: string[] | null
  rows: number
}

/** Leaves out expired rows: they may still exist on either side, because no event removes them. */
const unexpired = (schema: string, { name, expiresAt }: Table): string =>
  expiresAt
    ? `(SELECT * FROM ${schema}.${name} WHERE ${expiresAt} IS NULL OR ${expiresAt} > now())`
    : `${schema}.${name}`

const comparison = (table: Table, live: string, rebuilt: string): string => {
  const columns = (side: string) =>
    Object.keys(table.columns)
      .map((column) => `${side}."${column}"`)
      .join(', ')
  const same = table.key.map((column) => `l."${column}" = r."${column}"`).join(' AND ')
  const key = table.key.map((column) => `'${column}', coalesce(l."${column}", r."${column}")`).join(', ')
  const first = `"${table.key[0]}"`
  return `SELECT jsonb_build_object(${key}) AS key, l.${first} IS NOT NULL AS live, r.${first} IS NOT NULL AS rebuilt,
      (SELECT array_agg(key ORDER BY key) FROM jsonb_each(to_jsonb(l)) a JOIN jsonb_each(to_jsonb(r)) b USING (key)
        WHERE a.value IS DISTINCT FROM b.value) AS columns,
      count(*) OVER () AS rows
    FROM ${unexpired(live, table)} l FULL JOIN ${unexpired(rebuilt, table)} r ON ${same}
    WHERE (${columns('l')}) IS DISTINCT FROM (${columns('r')})
    LIMIT ${EXAMPLES}`
}

/** A row that has expired on one side counts as missing there. */
const settingsOf = ({ bySetting = {}, expiresAt }: Table, rows: readonly Row[]): string[] => {
  const columns = new Set(rows.flatMap((row) => row.columns ?? (expiresAt === undefined ? [] : [expiresAt])))
  return Object.keys(bySetting).flatMap((column) => (columns.has(column) ? [bySetting[column]!] : []))
}

/** @returns one entry for each table that differs; none if all are equal */
export const differences = async (
  database: Statements,
  { projections }: Definition,
  live: string,
  rebuilt: string,
): Promise<Difference[]> => {
  const found: Difference[] = []
  for (const { table } of projections) {
    const rows = await database.query<Row>(comparison(table, live, rebuilt))
    if (rows.length === 0) continue
    found.push({
      table: table.name,
      rows: rows[0]!.rows,
      examples: rows.map(({ key, live, rebuilt, columns }) => ({
        key,
        columns: live && rebuilt ? columns : null,
        only_in: live === rebuilt ? null : live ? 'live' : 'rebuilt',
      })),
      settings: settingsOf(table, rows),
    })
  }
  return found
}
