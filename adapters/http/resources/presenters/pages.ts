/** A page of a list: the rows, how many there are over all pages, which page, how many a page. */
import { z } from 'zod'
import type { PageOf } from '../../../../projections/engine/page-sql.ts'
import type { Cursors } from '../../openapi/cursors.ts'

/** @param more  what the answer says besides */
export const page = <Row extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(row: Row, more?: More) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(row),
    total: z.int().min(0),
    page: z.int().positive(),
    limit: z.int().positive(),
    ...(more as More),
  })

/** What a page of a list says besides, where the list can be gone through by cursor. */
export const byCursor = {
  next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page; null on the last page.' }),
}

/** @param rows  of a page that holds at most `limit` */
export const nextCursor = (
  cursors: Cursors,
  list: string,
  rows: readonly { created_at: string; id: number }[],
  limit: number,
): string | null => (rows.length < limit ? null : cursors.write(list, rows.at(-1)!))

/** The page that was asked for: what a cursor says goes before the number. */
export const pageAsked = (
  cursors: Cursors,
  list: string,
  { page, cursor }: { page: number; cursor?: string | undefined },
): PageOf => (cursor === undefined ? { page } : { after: cursors.read(list, cursor) })
