import { expect } from 'chai'
import { KIND, VIETNAMESE_DAY } from '../../../../projections/transaction/filter.ts'
import * as indexed from '../../../../projections/transaction/projection.ts'

describe('what lists ask for', () => {
  it('is written word for word as the indexes have it, or these would not serve them', () => {
    expect({ KIND, VIETNAMESE_DAY }).to.deep.equal({ KIND: indexed.KIND, VIETNAMESE_DAY: indexed.VIETNAMESE_DAY })
  })
})
