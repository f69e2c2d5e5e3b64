import { expect } from 'chai'
import fc from 'fast-check'
import { hasTooManyValues, looksTooLarge } from '../../../../../adapters/http/receive/json-values.ts'

describe('how much is in a JSON text', () => {
  it('is too much from 50,001 values on, however they are nested', () => {
    const list = (values: number) => JSON.stringify(Array(values).fill(0))
    expect(hasTooManyValues(list(50_000))).to.equal(false)
    expect(hasTooManyValues(list(50_002))).to.equal(true)
    expect(hasTooManyValues('['.repeat(50_001))).to.equal(true)
    expect(hasTooManyValues('{"a":'.repeat(50_001))).to.equal(true)
  })

  it('does not count what stands in strings', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        const long = `${text}${'[,{\\"'.repeat(60_000)}`
        expect(hasTooManyValues(JSON.stringify({ [long]: long }))).to.equal(false)
        expect(hasTooManyValues(JSON.stringify([text, ...Array<number>(50_001).fill(0)]))).to.equal(true)
      }),
      { numRuns: 20 },
    ))

  it('is more than a management endpoint takes from 2,000 values, long names or texts on', () => {
    expect(looksTooLarge({ a: Array(1_990).fill(0) })).to.equal(false)
    expect(looksTooLarge({ a: Array(2_001).fill(0) })).to.equal(true)
    expect(looksTooLarge(Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [index, 0])))).to.equal(true)
    expect(looksTooLarge({ ['k'.repeat(1_001)]: 0 })).to.equal(true)
    expect(looksTooLarge({ a: [{ b: 'x'.repeat(100_001) }] })).to.equal(true)
    for (const small of [null, 'x', 5, [], {}, { a: [{ b: 'x'.repeat(100_000) }] }])
      expect(looksTooLarge(small)).to.equal(false)
  })
})
