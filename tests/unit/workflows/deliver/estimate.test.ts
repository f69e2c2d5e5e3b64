import { expect } from 'chai'
import { estimatedSeconds } from '../../../../workflows/deliver/estimate.ts'

const free = { max_per_minute: null, ordered: 0 } as const

describe('the estimated time of a bulk retry', () => {
  it('is that of the calls, sixteen at a time to one endpoint', () => {
    expect(estimatedSeconds(1_600, free, 500)).to.equal(50)
    expect(estimatedSeconds(1_600, free)).to.equal(100)
  })

  it('is that of the calls one after the other for an ordered rule', () =>
    expect(estimatedSeconds(100, { ...free, ordered: 1 }, 500)).to.equal(50))

  it('is at least what the limit of the rule allows', () => {
    expect(estimatedSeconds(600, { ...free, max_per_minute: 60 }, 10)).to.equal(600)
    expect(estimatedSeconds(600, { ...free, max_per_minute: 600_000 }, 1_600)).to.equal(60)
  })

  it('is never zero', () => expect(estimatedSeconds(1, free, 3)).to.equal(1))
})
