// Tests: tests/unit/web/app/next-page.test.ts
/**
 * The cursor of a list's next page; undefined at its end. A last page that is full has a cursor too. Rows of earlier pages may have been
 * removed since they were read, so the highest total counts.
 */
import type { Page } from '../api/types.ts'

export const nextPage = <Row>({ next_cursor }: Page<Row>, pages: readonly Page<Row>[]): string | undefined => {
  const shown = pages.reduce((sum, { data }) => sum + data.length, 0)
  return pages.some(({ total }) => shown < total) ? (next_cursor ?? undefined) : undefined
}
