/**
 * How many rows a table has of each kind, in a table of its own. The database keeps it: what a statement does to the rows,
 * a trigger does to their counts, once a statement, in its transaction. So the counts are exact whenever they are looked at
 * beside the rows, whatever made or removed those, and no handler has to think of them. Kinds without rows have no count.
 * With a weight it is the sum of a column in place of the number of rows.
 */
import { projection, table, type ColumnType, type Projection, type Table } from './definition.ts'

/** A column that tells kinds apart, and what of a row stands in it: never null. */
export type Kinds = Readonly<Record<string, readonly [type: ColumnType, of: string]>>

const EVENTS = [
  ['INSERT', 'REFERENCING NEW TABLE AS added'],
  ['UPDATE', 'REFERENCING NEW TABLE AS added OLD TABLE AS removed'],
  ['DELETE', 'REFERENCING OLD TABLE AS removed'],
] as const

type Event = (typeof EVENTS)[number][0]

/** A column by which sums are kept as well: what stands in it, as SQL, in the counts of all kinds that differ in it alone. */
export interface Sums {
  column: string
  all: string
}

/**
 * @param weight  what a row counts, as SQL: a column of whole numbers; 1 where it is not given
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
  return { ...projection(counts, { version: 1 }, {}), functions, triggers }
}

/**
 * Planned once a session and trigger, as planning takes longer than doing it: of a text that changed with the schema's name it
 * would be planned every time.
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
