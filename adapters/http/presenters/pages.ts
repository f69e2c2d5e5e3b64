/** A page of a list: the rows, how many there are over all pages, which page, how many a page. */
import { z } from 'zod'

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
