import { expect } from 'chai'
import fc from 'fast-check'
import { foldedForSearch, matchesIn, normalise, shadowOf, squeeze } from '../../../domain/text.ts'

describe('the normalisation of a text', () => {
  it('composes letters, unifies blanks and drops invisible characters', () => {
    expect(normalise('So\u0302\u0301 du\u031b\u00a0TK\u2009\u200b1\u202e\ufeff\t2')).to.equal('Số dư TK 1 2')
  })

  it('drops every invisible character that Unicode knows, also beyond its first plane', () => {
    const codes = [0x34f, 0x115f, 0x17b4, 0x180b, 0x3164, 0xffa0, 0xfe0f, 0xfff9, 0xe0041, 0xe0100, 0x1d173]
    for (const code of codes)
      expect(normalise(`DH10${String.fromCodePoint(code)}42`), `U+${code.toString(16)}`).to.equal('DH1042')
    expect(normalise('DH\u280042'), 'a blank that is no white space').to.equal('DH 42')
  })

  it('turns U+2212 into a minus and full-width signs into plain ones', () => {
    expect(normalise('\u2212150,000 \uff0b1')).to.equal('-150,000 +1')
  })

  it('keeps line ends and unifies them', () => {
    expect(normalise('a\r\nb\rc\nd')).to.equal('a\nb\nc\nd')
  })

  it('turns rarer line ends into blanks, because only a payer writes them', () => {
    expect(normalise('a\u2028b\u2029c\u0085d\ve\ff')).to.equal('a b c d e f')
  })

  it('writes the mark of a cut as three dots', () => {
    expect(normalise('DH10…')).to.equal('DH10...')
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normalise(normalise(text))).to.equal(normalise(text))
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('the squeezing of a text', () => {
  it('reduces a run of blanks to one blank, or to a line end if it contains one', () => {
    expect(squeeze('  a   b \n\n  c  ')).to.equal('a b\nc')
  })
})

describe('the shadow of a text', () => {
  it('is lower-case and without diacritics', () => {
    expect(shadowOf('Số dư TK ĐỒNG 5₫')).to.equal('so du tk dong 5d')
  })

  it('is as long as any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const whole = normalise(`İẞΣ${text}`)
        expect(shadowOf(whole)).to.have.lengthOf(whole.length)
      }),
      { seed: 1, numRuns: 1000 },
    )
  })
})

describe('the matches in a text', () => {
  it('are those of matchAll, also if a search within was left early', () => {
    const numbers = /(\d+)(?!\d)/g
    const found = (text: string) => [...matchesIn(text, numbers)].map(({ index, 1: number }) => [index, number])
    for (const match of matchesIn('1 22 333', numbers)) {
      expect(match.index).to.equal(0)
      expect(found('4 55')).to.deep.equal([
        [0, '4'],
        [2, '55'],
      ])
      break
    }
    expect(found('a 1 b 22')).to.deep.equal([
      [2, '1'],
      [6, '22'],
    ])
    expect(found('none')).to.deep.equal([])
  })
})

describe('the search form of a text', () => {
  it('ignores only case and the composition of letters', () => {
    expect(foldedForSearch('CHUYEN 50% a_b\\C')).to.equal('chuyen 50% a_b\\c')
    expect(foldedForSearch('Chuyển KHOẢN'.normalize('NFD'))).to.equal('chuyển khoản'.normalize('NFC'))
    expect(foldedForSearch('Đạt')).not.to.equal(foldedForSearch('Dat'))
  })

  it('contains the search form of every part of the text, in any case', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aBđĐễỄ %_\\0'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, word, (before, piece, after) => {
        expect(foldedForSearch(before + piece + after)).to.include(foldedForSearch(piece))
        expect(foldedForSearch(piece.toUpperCase())).to.equal(foldedForSearch(piece.toLowerCase()))
      }),
    )
  })
})
