// Tests: tests/integration/projections/made-due.test.ts
/**
 * Work that a batch leaves behind because it is too much for one statement. A table of the read models lists it. The projector does it in
 * parts, between batches. Read models at the same position are comparable only when nothing is left.
 */
import type { Definition } from './definition.ts'
import { statementName, type SqlStatement } from './sql.ts'
import type { Statements } from './tables.ts'

/** @returns whether work is left in a schema of the definition's tables */
export const isLeft = async (
  database: Statements,
  { remaining }: Pick<Definition, 'remaining'>,
  schema: string,
): Promise<boolean> => {
  if (!remaining) return false
  const [row] = await database.query<{ left: boolean }>(
    `SELECT EXISTS (SELECT FROM ${schema}.${remaining.table.name}) AS left`,
  )
  return row!.left
}

/** The statement that does a part of it. */
export const partOf = ({ remaining }: Pick<Definition, 'remaining'>, schema: string): SqlStatement => {
  const text = remaining!.part(schema)
  return { name: statementName(text), text, values: [] }
}

/**
 * The items of a source. Work is done while the next item has not come.
 * @param work.isLeft  whether there is any · @param work.part  does a part of it
 */
export async function* besides<Item>(
  source: AsyncIterator<Item, void, undefined>,
  work: { isLeft: () => Promise<boolean>; part: () => Promise<void> },
): AsyncGenerator<Item, void, undefined> {
  try {
    for (;;) {
      const coming = source.next()
      let isThere = false
      const arrived = (): void => void (isThere = true)
      coming.then(arrived, arrived)
      while (!isThere && (await work.isLeft())) await work.part()
      const next = await coming
      if (next.done) return
      yield next.value
    }
  } finally {
    // Not awaited: a source that waits ends only when its signal aborts.
    void source.return?.().catch(() => {})
  }
}
