/** The columns of a webhook's last hours. */
import { expect } from 'chai'
import type { HourStats } from '../../../../web/api/types.ts'
import { columnsOf, figuresOf, HEIGHT } from '../../../../web/app/hour-columns.ts'

const hour = (delivered: number | null, failed: number | null, index = 0): HourStats => ({
  from: new Date(Date.UTC(2026, 10, 24, index)).toISOString(),
  delivered,
  failed,
})
const heights = (...hours: HourStats[]) => columnsOf(hours).map(({ delivered, failed }) => [delivered, failed])

describe('the columns of a webhook’s hours', () => {
  it('are as high as their calls, in proportion to the hour with the most', () => {
    expect(heights(hour(6, 0), hour(0, 3), hour(9, 3), hour(0, 0))).to.deep.equal([
      [11, 0],
      [0, 5.5],
      [16.5, 5.5],
      [0, 0],
    ])
    expect(heights(hour(0, 0), hour(0, 0))).to.deep.equal([
      [0, 0],
      [0, 0],
    ])
  })

  it('show even one call among thousands, inside the drawing', () => {
    const drawn = heights(hour(9_999, 1), hour(1, 0), hour(0, 1), hour(1, 1))
    expect(drawn.slice(1)).to.deep.equal([
      [2, 0],
      [0, 2],
      [2, 2],
    ])
    expect(drawn[0]![1]).to.equal(2)
    expect(drawn[0]![0]! + 2).to.be.within(HEIGHT - 0.1, HEIGHT)
  })

  it('know which hours were not counted', () => {
    expect(columnsOf([hour(null, null), hour(0, 0)]).map(({ isCounted }) => isCounted)).to.deep.equal([false, true])
  })

  it('come with their figures', () => {
    expect(figuresOf([hour(0, 0), hour(0, 0)])).to.deep.equal({ called: 0, failed: 0, uncounted: 0, lastFailed: null })
    const hours = [hour(null, null), hour(2, 0, 1), hour(0, 4, 2), hour(1, 1, 3), hour(5, 0, 4), hour(0, 0, 5)]
    const figures = { called: 4, failed: 2, uncounted: 1, lastFailed: '2026-11-24T03:00:00.000Z' }
    expect(figuresOf(hours)).to.deep.equal(figures)
  })
})
