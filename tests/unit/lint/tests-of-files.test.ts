import { expect } from 'chai'
import { withoutTests } from '../../without-tests.ts'

describe('source files', () => {
  it('each have a test of the same path, or name their suite in the first line', () => {
    expect(withoutTests()).to.deep.equal([])
  })
})
