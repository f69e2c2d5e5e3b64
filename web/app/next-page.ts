// Tests: tests/unit/web/app/next-page.test.ts
/** The cursor of a list's next page; undefined at its end. A last page that is full has a cursor too. */
import type { Page } from '../api/types.ts'

export const nextPage = <Row>({ next_cursor, total }: Page<Row>, pages: readonly Page<Row>[]): string | undefined => {
  const shown = pages.reduce((sum, { data }) => sum + data.length, 0)
  return shown < total ? (next_cursor ?? undefined) : undefined
}
