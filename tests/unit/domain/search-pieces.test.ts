import { expect } from 'chai'
import fc from 'fast-check'
import { piecesOf } from '../../../domain/search-pieces.ts'
import { foldedForSearch } from '../../../domain/text.ts'

/** The number of pieces of a text. No two pieces of these texts have the same number. */
const count = (text: string): number => piecesOf(text).length

describe('the search pieces of a text', () => {
  it('are six letters or digits that include a digit', () => {
    expect(count('ft2600')).to.equal(1)
    expect(count('ft260012')).to.equal(3)
    expect(piecesOf('ft2600')).to.deep.equal(piecesOf('. ft2600!'))
    for (const none of ['ft260', 'ftabcdef', 'ft 2600', 'ft-2600', '4,150,000 vnd', '10:15:00'])
      expect(count(none), none).to.equal(0)
    expect(count('chuyentien1')).to.equal(1)
    expect(count('1chuyentien')).to.equal(1)
  })

  it('are the end of a word, a blank and the beginning of the next', () => {
    expect(count('oan ha')).to.equal(1)
    expect(piecesOf('khoản hàng')).to.deep.equal(piecesOf('oản hà'))
    for (const none of ['an ha', 'oan h', 'oan  ha', 'oan. ha', 'oan-ha', 'an', '', 'dh7 ch', 'luc 20'])
      expect(count(none), none).to.equal(0)
    expect(piecesOf('nguyen van an')).to.have.members([...piecesOf('yen va'), ...piecesOf('van an')])
  })

  it('are distinct 16-bit numbers', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aé1 '), minLength: 20, maxLength: 300 }), (text) => {
        const pieces = piecesOf(text)
        expect(new Set(pieces).size).to.equal(pieces.length)
        for (const piece of pieces) expect(piece).to.be.within(-32_768, 32_767)
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  it('include all pieces of any part of the text', () => {
    const units = [fc.constantFrom(...'ab1290 .đ\uffff'), fc.constantFrom(...'aA19 ẠI\u0301🙂%_-'), 'binary' as const]
    for (const unit of units)
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 60 }), fc.nat(60), fc.nat(60), (text, from, length) => {
          const folded = foldedForSearch(text)
          const found = piecesOf(folded.slice(from, from + length))
          expect(piecesOf(folded)).to.include.members(found)
          // The search text is folded separately. If the folded text contains it, its pieces are included too.
          const searched = foldedForSearch(text.slice(from, from + length))
          if (folded.includes(searched)) expect(piecesOf(folded)).to.include.members(piecesOf(searched))
        }),
        { seed: 2, numRuns: 3_000 },
      )
  })
})
