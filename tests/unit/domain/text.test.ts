import { expect } from 'chai'
import fc from 'fast-check'
import { foldedForSearch, normalise, shadowOf, squeeze } from '../../../domain/text.ts'

describe('normalising a text', () => {
  it('composes, makes every blank a blank and drops what cannot be seen', () => {
    expect(normalise('So\u0302\u0301 du\u031b\u00a0TK\u2009\u200b1\u202e\ufeff\t2')).to.equal('Số dư TK 1 2')
  })

  it('makes U+2212 a minus and full-width signs plain', () => {
    expect(normalise('\u2212150,000 \uff0b1')).to.equal('-150,000 +1')
  })

  it('keeps line ends, all as one kind', () => {
    expect(normalise('a\r\nb\rc\u2028d\u0085e')).to.equal('a\nb\nc\nd\ne')
  })

  it('writes a cut with three dots, however it was written', () => {
    expect(normalise('DH10…')).to.equal('DH10...')
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normalise(normalise(text))).to.equal(normalise(text))
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('squeezing', () => {
  it('makes a run of blanks one, and a line end where it held one', () => {
    expect(squeeze('  a   b \n\n  c  ')).to.equal('a b\nc')
  })
})

describe('the shadow of a text', () => {
  it('is lower-case and without diacritics', () => {
    expect(shadowOf('Số dư TK ĐỒNG 5₫')).to.equal('so du tk dong 5d')
  })

  it('is as long as the text, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const whole = normalise(`İẞΣ${text}`)
        expect(shadowOf(whole)).to.have.lengthOf(whole.length)
      }),
      { seed: 1, numRuns: 1000 },
    )
  })
})

describe('folding a text for a search', () => {
  it('takes case and the way letters are composed away, and nothing else', () => {
    expect(foldedForSearch('CHUYEN 50% a_b\\C')).to.equal('chuyen 50% a_b\\c')
    expect(foldedForSearch('Chuyển KHOẢN'.normalize('NFD'))).to.equal('chuyển khoản'.normalize('NFC'))
    expect(foldedForSearch('Đạt')).not.to.equal(foldedForSearch('Dat'))
  })

  it('finds every piece of a text in it, whatever its case', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aBđĐễỄ %_\\0'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, word, (before, piece, after) => {
        expect(foldedForSearch(before + piece + after)).to.include(foldedForSearch(piece))
        expect(foldedForSearch(piece.toUpperCase())).to.equal(foldedForSearch(piece.toLowerCase()))
      }),
    )
  })
})
