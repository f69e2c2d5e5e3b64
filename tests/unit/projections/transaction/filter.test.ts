import { expect } from 'chai'
import { KIND, VIETNAMESE_DAY } from '../../../../projections/transaction/filter.ts'
import * as indexed from '../../../../projections/transaction/projection.ts'

describe('the filters of lists', () => {
  it('use exactly the expressions of the indexes, because the indexes would not apply otherwise', () => {
    expect({ KIND, VIETNAMESE_DAY }).to.deep.equal({ KIND: indexed.KIND, VIETNAMESE_DAY: indexed.VIETNAMESE_DAY })
  })
})
