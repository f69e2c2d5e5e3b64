import { expect } from 'chai'
import fc from 'fast-check'
import { cutAt, isCutOf, marksOf } from '../../../../domain/dedup/text-marks.ts'

describe('the marks of a text', () => {
  it('distinguish a cut from every text that differs more than seven characters before the cut', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 40, maxLength: 300 }), fc.integer({ min: 16, max: 39 }), (text, at) => {
        const cut = `${text.slice(0, at).trimEnd()}...`
        const cut_at = cutAt(cut)
        if (cut_at === null || cut_at < 16) return
        expect(isCutOf({ marks: marksOf(cut), cut_at }, { marks: marksOf(text) })).to.equal(true)
        const other = `${text.startsWith('a') ? 'b' : 'a'}${text.slice(1)}`
        expect(isCutOf({ marks: marksOf(cut), cut_at }, { marks: marksOf(other) })).to.equal(false)
      }),
    ))

  it('do not show that a text of fewer than eight characters is a cut', () =>
    expect(isCutOf({ marks: '', cut_at: 7 }, { marks: marksOf('TK 8832123000 +150,000VND') })).to.equal(false))

  it('include the position of a cut', () => {
    expect(cutAt('NGUYEN VAN ...')).to.equal(10)
    expect(cutAt('NGUYEN VAN… ')).to.equal(10)
    expect(cutAt('NGUYEN VAN~')).to.equal(10)
    expect(cutAt('NGUYEN VAN.')).to.equal(null)
  })
})
