/** The end of a statement that reads one page, newest first by when it came to be, then by id. */

/** Which page: by number, or what comes after the last row of another. */
export type PageOf = { page: number } | { after: { created_at: string; id: number } }

export interface PageSql {
  /** Goes on from a WHERE. */
  sql: string
  /** Values beyond those given before. */
  more: readonly unknown[]
  /** For the prepared statement's name. */
  name: 'numbered' | 'after'
}

/**
 * @param before  how many values the statement has without these
 * @param table  its name in the statement, with the dot
 * @param moment  the column that says when
 */
export const pageSql = (of: PageOf, before: number, rows: number, table = '', moment = 'created_at'): PageSql => {
  const order = `ORDER BY ${table}${moment} DESC, ${table}id DESC LIMIT ${rows}`
  if ('after' in of) {
    const { created_at, id } = of.after
    const sql = `AND (${table}${moment}, ${table}id) < ($${before + 1}::timestamptz, $${before + 2}::bigint) ${order}`
    return { sql, more: [created_at, id], name: 'after' }
  }
  return { sql: `${order} OFFSET $${before + 1}::bigint`, more: [String((of.page - 1) * rows)], name: 'numbered' }
}
