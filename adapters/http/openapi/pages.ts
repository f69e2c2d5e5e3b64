// Tests: tests/integration/http/lists.test.ts
/** A page of a list: the rows, the total number of rows, the page number and the page size. */
import { z } from 'zod'
import type { PageOf } from '../../../projections/engine/page-sql.ts'
import type { Cursors } from './cursors.ts'

/** @param more  additional fields of the response */
export const pageOf = <Row extends z.ZodType, More extends z.ZodRawShape>(row: Row, more: More) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(row),
    total: z.int().min(0),
    page: z.int().positive(),
    limit: z.int().positive(),
    ...more,
  })

/** The additional field of a page if the list supports cursors. */
export const byCursor = {
  next_cursor: z.string().nullable().meta({
    description: 'Cursor of the next page; null if this page is not full. After a full last page comes an empty one.',
  }),
}

/** @param rows  the rows of a page of at most `limit` rows */
export const nextCursor = (
  cursors: Cursors,
  list: string,
  rows: readonly { created_at: string; id: number }[],
  limit: number,
): string | null => (rows.length < limit ? null : cursors.write(list, rows.at(-1)!))

/** @returns the cursor of a page that begins with the same row, whatever arrives later */
export const sameCursor = (
  cursors: Cursors,
  list: string,
  [first]: readonly { created_at: string; id: number }[],
): string | null => (first ? cursors.write(list, { ...first, id: first.id + 1 }) : null)

/** The requested page. A cursor takes precedence over a page number. */
export const pageAsked = (
  cursors: Cursors,
  list: string,
  { page, cursor }: { page: number; cursor?: string | undefined },
): PageOf => (cursor === undefined ? { page } : { after: cursors.read(list, cursor) })
