// Tests: tests/integration/projections/counts.test.ts
/**
 * Counts the rows of a table by kind, in a table of its own. The database maintains the counts: for each statement that
 * changes the rows, a trigger updates the counts once, in the same transaction. So the counts always agree with the
 * rows, whatever added or removed them, and no handler has to maintain them. Kinds without rows have no count. With a
 * weight, the count is the sum of a column instead of the number of rows.
 */
import { projection, table, type ColumnType, type Projection, type Table } from './definition.ts'

/** A column that distinguishes kinds, and the SQL for its value in a row. The value is never null. */
export type Kinds = Readonly<Record<string, readonly [type: ColumnType, of: string]>>

const EVENTS = [
  ['INSERT', 'REFERENCING NEW TABLE AS added'],
  ['UPDATE', 'REFERENCING NEW TABLE AS added OLD TABLE AS removed'],
  ['DELETE', 'REFERENCING OLD TABLE AS removed'],
] as const

type Event = (typeof EVENTS)[number][0]

/** A column over which sums are kept as well. `all` is the SQL for its value in the counts that sum over all its values. */
export interface Sums {
  column: string
  all: string
}

/**
 * @param weight  SQL for how much a row counts: a column of whole numbers. The default is 1.
 * @returns a read model with the columns of `kinds` and `number`
 */
export const countOf = (
  counted: Table,
  name: string,
  kinds: Kinds,
  { sums, weight = '1' }: { sums?: Sums; weight?: string } = {},
): Projection => {
  const columns = Object.keys(kinds)
  const types = Object.fromEntries(columns.map((column) => [column, kinds[column]![0]]))
  const counts = table(name, { ...types, number: 'integer' }, { key: columns })
  const triggerOf = (event: Event) => `${name}_${event.toLowerCase()}`
  const functionSql = (schema: string, event: Event): string => `
    CREATE OR REPLACE FUNCTION ${schema}.${triggerOf(event)}() RETURNS trigger LANGUAGE plpgsql AS $trigger$ BEGIN
      ${mergeSql(`${schema}.${name}`, { kinds, sums, weight }, event)};
      RETURN NULL;
    END $trigger$`
  const triggerSql = (schema: string, [event, referencing]: (typeof EVENTS)[number]): string => `
    CREATE TRIGGER ${triggerOf(event)} AFTER ${event} ON ${schema}.${counted.name} ${referencing}
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.${triggerOf(event)}()`
  const functions = (schema: string) => EVENTS.map(([event]) => functionSql(schema, event)).join(';\n')
  const triggers = (schema: string) => EVENTS.map((event) => triggerSql(schema, event)).join(';\n')
  return { ...projection(counts, { version: 1, goesWithStreams: true }, {}), functions, triggers }
}

/**
 * The text is planned once per session and trigger, because planning takes longer than executing it. If the text
 * changed with the name of the schema, it would be planned every time.
 * @param counts  the table, with its schema
 */
const mergeSql = (
  counts: string,
  { kinds, sums, weight }: { kinds: Kinds; sums: Sums | undefined; weight: string },
  event: Event,
): string => {
  const columns = Object.keys(kinds)
  const kindOrSum = columns.map((column) =>
    column === sums?.column ? `coalesce(${column}, ${sums.all}) AS ${column}` : column,
  )
  const groups = sums ? [columns, columns.filter((column) => column !== sums.column)] : [columns]
  const kind = columns.map((column) => `${kinds[column]![1]} AS ${column}`).join(', ')
  const changes = [
    ...(event === 'DELETE' ? [] : [`SELECT ${kind}, ${weight} AS change FROM added`]),
    ...(event === 'INSERT' ? [] : [`SELECT ${kind}, -${weight} AS change FROM removed`]),
  ].join(' UNION ALL ')
  return `MERGE INTO ${counts} AS t
    USING (SELECT ${kindOrSum.join(', ')}, sum(change)::integer AS change FROM (${changes}) AS each_row
      GROUP BY GROUPING SETS (${groups.map((group) => `(${group.join(', ')})`).join(', ')}) HAVING sum(change) <> 0) AS c
    ON ${columns.map((column) => `t.${column} = c.${column}`).join(' AND ')}
    WHEN MATCHED AND t.number + c.change = 0 THEN DELETE
    WHEN MATCHED THEN UPDATE SET number = t.number + c.change
    WHEN NOT MATCHED AND c.change > 0 THEN INSERT (${columns.join(', ')}, number)
      VALUES (${columns.map((column) => `c.${column}`).join(', ')}, c.change)`
}
