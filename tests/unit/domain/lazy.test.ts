import { expect } from 'chai'
import { lazy } from '../../../domain/lazy.ts'

describe('a lazy value', () => {
  it('is made once, when it is first needed', () => {
    let made = 0
    const value = lazy(() => void made++)
    expect(made).to.equal(0)
    value()
    value()
    expect(made).to.equal(1)
  })

  it('that could not be made is made at the next call', () => {
    let calls = 0
    const value = lazy(() => {
      if (++calls === 1) throw new Error('not yet')
      return calls
    })
    expect(value).to.throw('not yet')
    expect(value()).to.equal(2)
  })
})
