// Tests: tests/integration/http/lists.test.ts
/** The end of a statement that reads one page, newest first, then by id. */

/** Which page: its number, or the last row of the page before it. */
export type PageOf = { page: number } | { after: { created_at: string; id: number } }

export interface PageSql {
  /** Continues a WHERE clause. */
  sql: string
  /**
   * For one of several parts that a page is taken from: the rows of the page and all rows before it. The whole
   * statement ends with `sql`.
   */
  reach: string
  /** Values that follow the ones given before. */
  more: readonly unknown[]
  /** A part of the prepared statement's name. */
  name: 'numbered' | 'after'
}

/**
 * @param before  how many values the statement has without these
 * @param columns  their names in the statement; the rows are sorted by `at`, newest first
 */
export const pageSql = (
  of: PageOf,
  before: number,
  rows: number,
  { at = 'created_at', id = 'id' }: { at?: string; id?: string } = {},
): PageSql => {
  const order = `ORDER BY ${at} DESC, ${id} DESC LIMIT ${rows}`
  if ('after' in of) {
    const sql = `AND (${at}, ${id}) < ($${before + 1}::timestamptz, $${before + 2}::bigint) ${order}`
    return { sql, reach: sql, more: [of.after.created_at, of.after.id], name: 'after' }
  }
  const offset = `$${before + 1}::bigint`
  const more = [String((of.page - 1) * rows)]
  return { sql: `${order} OFFSET ${offset}`, reach: `${order} + ${offset}`, more, name: 'numbered' }
}
