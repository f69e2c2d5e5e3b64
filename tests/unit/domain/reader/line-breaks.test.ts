import { expect } from 'chai'
import { isInsideWord, undoBreaks as undo } from '../../../../domain/reader/line-breaks.ts'

const undoBreaks = (memo: string, column: number) => undo(memo, column, isInsideWord)

/** Breaks a memo as a core banking system does, with a blank after every `column` characters. */
const broken = (memo: string, column: number) =>
  (memo.match(new RegExp(`.{1,${column}}`, 'g')) ?? []).join(' ').replace(/ {2,}/g, ' ')

describe('the removal of column breaks', () => {
  it('restores a memo whose words were broken', () => {
    const memo = 'MBVCB 969666571 088129 VUONG KIM MAI chuyen tien CT tu 1018701234 VUONG KIM MAI toi'
    expect(broken(memo, 35)).to.contain('MA I').and.to.contain('VUON G')
    expect(undoBreaks(broken(memo, 35), 35)).to.equal(memo)
  })

  it('does not change a memo that was not broken', () => {
    for (const memo of ['DH1042', 'NGUYEN VIET THONG chuyen tien mua ABCDEF do dung', 'x'.repeat(80)])
      expect(undoBreaks(memo, 35)).to.equal(memo)
  })

  it('changes nothing if a later column does not fit', () => {
    const memo = `${'a'.repeat(10)} ${'b'.repeat(15)} c`
    expect(undoBreaks(memo, 10)).to.equal(memo)
  })

  it('joins digits to digits, but not a word to the digits before it', () => {
    expect(undoBreaks('mua hang DH10 42', 13)).to.equal('mua hang DH1042')
    expect(undoBreaks('mua hang DH10 NGUYEN', 13)).to.equal('mua hang DH10 NGUYEN')
    expect(undoBreaks('mua hang DH10 A7X9', 13)).to.equal('mua hang DH10A7X9')
  })

  it('ignores the mark of a cut when it counts the last column', () => {
    for (const mark of ['...', '~'])
      expect(undoBreaks(`mua hang DH10 42 xxxxxxxxxx${mark}`, 13)).to.equal(`mua hang DH1042 xxxxxxxxxx${mark}`)
  })

  it('leaves no blank before the mark of a cut right after a break, so that a cut order id touches it', () => {
    for (const mark of ['...', '~']) expect(undoBreaks(`mua hang DH10 ${mark}`, 13)).to.equal(`mua hang DH10${mark}`)
    expect(undoBreaks('mua hang DH1 ...', 13)).to.equal('mua hang DH1 ...')
  })

  it('keeps blanks that the payer wrote at the column', () => {
    expect(undoBreaks(broken('abcd fghijklmno', 5), 5)).to.equal('abcd fghijklmno')
    expect(undoBreaks('ma so: 1', 6)).to.equal('ma so: 1')
    expect(undoBreaks('mua DH10  42', 8)).to.equal('mua DH10  42')
  })
})
