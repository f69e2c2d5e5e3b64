import { expect } from 'chai'
import fc from 'fast-check'
import { hasTooManyValues, looksTooLarge, valueCounter } from '../../../../../adapters/http/receive/json-values.ts'

describe('the number of values in a JSON text', () => {
  it('is too large above 50,000 values, at any nesting', () => {
    const list = (values: number) => JSON.stringify(Array(values).fill(0))
    expect(hasTooManyValues(list(50_000))).to.equal(false)
    expect(hasTooManyValues(list(50_002))).to.equal(true)
    expect(hasTooManyValues('['.repeat(50_001))).to.equal(true)
    expect(hasTooManyValues('{"a":'.repeat(50_001))).to.equal(true)
  })

  it('does not include characters inside strings', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        const long = `${text}${'[,{\\"'.repeat(60_000)}`
        expect(hasTooManyValues(JSON.stringify({ [long]: long }))).to.equal(false)
        expect(hasTooManyValues(JSON.stringify([text, ...Array<number>(50_001).fill(0)]))).to.equal(true)
      }),
      { numRuns: 20 },
    ))

  it('is counted alike while the bytes arrive, however they are cut', () => {
    const inText = JSON.stringify({ text: `a"b\\${'[,{'.repeat(60_000)}` })
    const inList = JSON.stringify(['a"b\\', ...Array<number>(50_001).fill(0)])
    for (const [charset, encoding] of [
      ['utf-8', 'utf8'],
      ['utf-16le', 'utf16le'],
    ] as const)
      for (const size of [1, 4_096, 1_000_000])
        for (const [body, isTooMany] of [
          [inText, false],
          [inList, true],
        ] as const) {
          const count = valueCounter(charset)
          const bytes = Buffer.from(body, encoding)
          let found = false
          for (let at = 0; at < bytes.length; at += size) found = count(bytes.subarray(at, at + size))
          expect(found, `${charset} ${size}`).to.equal(isTooMany)
        }
  })

  it('is too large for a management endpoint above 2,000 values, as are long names and texts', () => {
    expect(looksTooLarge({ a: Array(1_990).fill(0) })).to.equal(false)
    expect(looksTooLarge({ a: Array(2_001).fill(0) })).to.equal(true)
    expect(looksTooLarge(Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [index, 0])))).to.equal(true)
    expect(looksTooLarge({ ['k'.repeat(1_001)]: 0 })).to.equal(true)
    expect(looksTooLarge({ a: [{ b: 'x'.repeat(100_001) }] })).to.equal(true)
    for (const small of [null, 'x', 5, [], {}, { a: [{ b: 'x'.repeat(100_000) }] }])
      expect(looksTooLarge(small)).to.equal(false)
  })
})
