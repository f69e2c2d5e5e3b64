import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import fc from 'fast-check'
import { readSheet } from 'read-excel-file/node'
import type { Value } from '../../../../adapters/export/columns.ts'
import { xlsx, type XlsxColumn } from '../../../../adapters/export/xlsx.ts'
import { eventually } from '../../../harness/eventually.ts'

const text: XlsxColumn[] = [{ heading: 'Nội dung', kind: 'text' }]

async function* inPages(rows: Value[][]) {
  for (let at = 0; at < rows.length; at += 2) yield await Promise.resolve(rows.slice(at, at + 2))
}

const written = (columns: XlsxColumn[], rows: Value[][], mostRows?: number) =>
  buffer(xlsx(columns, inPages(rows), 'Giao dịch', mostRows))
/** The content that an independent reader finds. */
const read = async (columns: XlsxColumn[], rows: Value[][], sheet?: number, mostRows?: number) =>
  readSheet(await written(columns, rows, mostRows), sheet ?? 1, { trim: false })

describe('a spreadsheet', () => {
  it('has numbers, texts, and the days and times of Vietnam', async () => {
    const columns: XlsxColumn[] = [
      { heading: 'Id', kind: 'integer' },
      { heading: 'Ngày', kind: 'day' },
      { heading: 'Thời điểm', kind: 'moment' },
      { heading: 'Tiền vào', kind: 'money' },
      { heading: 'Số tài khoản', kind: 'text' },
    ]
    const evening = '2026-11-20T18:30:05.000Z'
    const rows = [
      [7, evening, evening, '150000.00', '0011000415567'],
      [8, null, null, '-0.50', null],
    ]
    const [head, first, second] = await read(columns, rows)
    expect(head).to.deep.equal(columns.map(({ heading }) => heading))
    // The reader gives wall-clock times as UTC.
    expect(first).to.deep.equal([
      7,
      new Date('2026-11-21T00:00:00Z'),
      new Date('2026-11-21T01:30:05Z'),
      150000,
      '0011000415567',
    ])
    expect(second).to.deep.equal([8, null, null, -0.5, null])
  })

  it('has whole seconds, because Excel rounds them up: at midnight to the beginning of the same day', async () => {
    const late = '2026-11-20T16:59:59.700Z'
    const columns = (['day', 'moment', 'time'] as const).map((kind) => ({ heading: kind, kind }))
    const [, [day, moment, time] = []] = await read(columns, [[late, late, late]])
    expect(day).to.deep.equal(new Date('2026-11-20T00:00:00Z'))
    expect(moment).to.deep.equal(new Date('2026-11-20T23:59:59Z'))
    expect((time as unknown as Date).toISOString()).to.contain('T23:59:59.000Z')
  })

  it('keeps an amount with more digits than a number has as a text', async () => {
    const rows = [['12345678901234567.00'], ['1234567890123.45']]
    expect((await read([{ heading: 'x', kind: 'money' }], rows)).slice(1)).to.deep.equal([
      ['12345678901234567.00'],
      [1234567890123.45],
    ])
  })

  it('keeps every text as a text, and no formula', async () => {
    const texts = ['=1+1', '@SUM(A1)', '<b>&amp;</b> "x"', '_x0041_', ' blanks ', 'dòng\nmới', '🧧 tiền', 'x'.repeat(40_000)]
    const rows = (await read(text, texts.map((each) => [each]))).slice(1)
    expect(rows.map(([value]) => value)).to.deep.equal(texts.map((each) => each.slice(0, 32_767)))
    const piece = fc.oneof(fc.string(), fc.constantFrom('\0', '\ud800', '\ufffe', '_x0000_', ']]>', '\r\n'))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
        // Characters that XML cannot contain are left out.
        const kept = pieces.join('|').replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '')
        expect((await read(text, [[`.${pieces.join('|')}`]]))[1]).to.deep.equal([`.${kept}`])
      }),
      { numRuns: 30 },
    )
  }) // prettier-ignore

  it('continues in further sheets when one is full', async () => {
    const rows = Array.from({ length: 7 }, (_, at) => [`row ${at}`])
    const sheets = [1, 2, 3].map((sheet) => read(text, rows, sheet, 4))
    expect((await Promise.all(sheets)).map((sheet) => sheet.slice(1).map(([value]) => value))).to.deep.equal([
      ['row 0', 'row 1', 'row 2'],
      ['row 3', 'row 4', 'row 5'],
      ['row 6'],
    ])
    expect((await read(text, [])).map(([value]) => value)).to.deep.equal(['Nội dung'])
  })

  it('has columns after Z', async () => {
    const columns = Array.from({ length: 30 }, (_, at): XlsxColumn => ({ heading: String(at), kind: 'integer' }))
    expect((await read(columns, [columns.map((_, at) => at)]))[1]).to.deep.equal(columns.map((_, at) => at))
  })

  it('pauses reading while the output is not consumed, and ends the pages if the output is abandoned', async () => {
    let pages = 0
    let hasEnded = false
    // Random letters, so that they hardly shrink.
    const page = Array.from({ length: 500 }, () => [
      Array.from({ length: 200 }, () => Math.random().toString(36)[2]).join(''),
    ])
    const endless = async function* () {
      try {
        for (;;) {
          pages++
          yield await Promise.resolve(page)
        }
      } finally {
        hasEnded = true
      }
    }
    const file = xlsx(text, endless(), 'x')
    file.once('error', () => {})
    let before = -1
    await eventually(() => {
      const isQuiet = pages === before && pages > 0
      before = pages
      return isQuiet
    })
    expect(pages).to.be.below(10)
    file.destroy()
    await eventually(() => hasEnded)
  })

  it('fails if its pages fail', async () => {
    const broken = async function* () {
      yield await Promise.resolve([['a']])
      throw new Error('the database is away')
    }
    const error = await buffer(xlsx(text, broken(), 'x')).catch((cause: Error) => cause)
    expect(error).to.have.property('message', 'the database is away')
  })
})
