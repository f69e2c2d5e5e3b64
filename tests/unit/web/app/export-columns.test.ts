/** The columns that the page offers are those of the export, with its headings. */
import { expect } from 'chai'
import {
  COLUMN_NAMES,
  headingOf,
  isPersonal as isPersonalThere,
  USUAL_COLUMNS as USUAL_THERE,
} from '../../../../adapters/export/columns.ts'
import { isPersonal, latestMonths, MORE_COLUMNS, USUAL_COLUMNS } from '../../../../web/app/export-columns.ts'
import { en } from '../../../../web/texts/en.ts'
import { vi } from '../../../../web/texts/vi.ts'

describe('the columns that the page offers', () => {
  const all = [...USUAL_COLUMNS, ...MORE_COLUMNS]

  it('are those of the export, in its order, and the usual ones first', () => {
    expect(all).to.deep.equal(COLUMN_NAMES)
    expect(USUAL_COLUMNS).to.deep.equal(USUAL_THERE)
    for (const each of all) expect(isPersonal(each), each).to.equal(isPersonalThere(each))
  })

  it('have the headings of the file', () => {
    for (const each of all) {
      expect(vi.exports.columns[each]).to.equal(headingOf(each, 'vi'))
      expect(en.exports.columns[each]).to.equal(headingOf(each, 'en'))
    }
  })
})

describe('the latest months', () => {
  it('are those of Vietnam, with their first and last day', () => {
    // In Vietnam it is March already.
    expect(latestMonths(3, new Date('2028-02-29T17:00:00Z'))).to.deep.equal([
      { month: '2028-03', from: '2028-03-01', to: '2028-03-31' },
      { month: '2028-02', from: '2028-02-01', to: '2028-02-29' },
      { month: '2028-01', from: '2028-01-01', to: '2028-01-31' },
    ])
  })
})
