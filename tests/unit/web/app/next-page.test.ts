import { expect } from 'chai'
import type { Page } from '../../../../web/api/types.ts'
import { nextPage } from '../../../../web/app/next-page.ts'

const page = (rows: number, total: number, next_cursor: string | null): Page<number> => ({
  data: Array.from({ length: rows }, (_, index) => index),
  total,
  limit: 100,
  next_cursor,
})
const after = (...pages: Page<number>[]) => nextPage(pages.at(-1)!, pages)

describe('the next page of a list', () => {
  it('begins at the cursor of the last one', () => {
    expect(after(page(100, 250, 'a'))).to.equal('a')
    expect(after(page(100, 250, 'a'), page(100, 250, 'b'))).to.equal('b')
  })

  it('exists although rows of an earlier page were removed meanwhile', () => {
    expect(after(page(100, 201, 'a'), page(100, 200, 'b'))).to.equal('b')
  })

  it('does not exist at the end, even if the last page is full', () => {
    expect(after(page(50, 50, null))).to.equal(undefined)
    expect(after(page(100, 100, 'a'))).to.equal(undefined)
    expect(after(page(100, 200, 'a'), page(100, 200, 'b'))).to.equal(undefined)
  })
})
