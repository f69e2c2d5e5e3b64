// Tests: tests/unit/adapters/export/xlsx.test.ts
/**
 * Writes a workbook (Office Open XML) row by row, so that memory does not depend on the number of rows. A sheet has at most
 * 1,048,576 rows; further rows go into further sheets. Only then is it known how many there are, so the list of sheets is the
 * last part of the archive. Texts are stored as texts, so a spreadsheet never takes one for a formula.
 */
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { DAY_MS, OFFSET_MS } from '../../domain/time.ts'
import type { Kind, Value } from './columns.ts'

export interface XlsxColumn {
  heading: string
  kind: Kind
}

const MOST_ROWS = 1_048_576
/** A longer text makes the file invalid. */
const MOST_CHARACTERS = 32_767
/** A number with more digits would lose some. */
const MOST_DIGITS = 15

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

// --- cells ---------------------------------------------------------------------------------------------------------

/** Places in the list of cell formats below. */
const STYLE = { heading: 1, day: 2, time: 3, moment: 4, whole: 5, decimal: 6 } as const

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/>\
<numFmt numFmtId="165" formatCode="hh:mm:ss"/><numFmt numFmtId="166" formatCode="dd/mm/yyyy hh:mm:ss"/></numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">\
${[
  [0, 0],
  [0, 1],
  [164, 0],
  [165, 0],
  [166, 0],
  [3, 0],
  [4, 0],
]
  .map(
    ([format, font]) =>
      `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
  )
  .join('')}</cellXfs></styleSheet>`

/** Characters that XML cannot contain. */
const NOT_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }

/** Spreadsheets read `_x0041_` as a character, so its first underscore is written as one. */
const escaped = (text: string): string =>
  text
    .slice(0, MOST_CHARACTERS)
    .replace(NOT_IN_XML, '')
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"\r]/g, (letter) => ESCAPES[letter]!)

const textCell = (at: string, text: string, style = ''): string =>
  `<c r="${at}"${style} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

const numberCell = (at: string, number: string, style?: number): string =>
  `<c r="${at}"${style === undefined ? '' : ` s="${style}"`}><v>${number}</v></c>`

/** Days from the beginning of spreadsheets to that of Unix. */
const EPOCH_DAYS = 25_569

/** Of the whole second, as in CSV: Excel rounds, and would show 23:59:59.7 as midnight. */
const daysSinceEpoch = (moment: string): number =>
  (Math.floor(Date.parse(moment) / 1_000) * 1_000 + OFFSET_MS) / DAY_MS + EPOCH_DAYS

/** Rounded up by less than 10 µs, as some programs cut what is less than a second. */
const serial = (days: number): string => (Math.ceil(days * 1e10) / 1e10).toFixed(10)

const decimalCell = (at: string, decimal: string): string => {
  if (decimal.replace(/\D/g, '').length > MOST_DIGITS) return textCell(at, decimal)
  return decimal.endsWith('.00')
    ? numberCell(at, decimal.slice(0, -3), STYLE.whole)
    : numberCell(at, decimal, STYLE.decimal)
}

const CELLS: Record<Kind, (at: string, value: string) => string> = {
  text: textCell,
  integer: numberCell,
  money: decimalCell,
  day: (at, value) => numberCell(at, String(Math.floor(daysSinceEpoch(value))), STYLE.day),
  time: (at, value) => numberCell(at, serial(daysSinceEpoch(value) % 1), STYLE.time),
  moment: (at, value) => numberCell(at, serial(daysSinceEpoch(value)), STYLE.moment),
}

/** The name of a column: `A`, …, `Z`, `AA`. */
const letters = (column: number): string =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))

// --- sheets --------------------------------------------------------------------------------------------------------

/** Characters that a column is wide. */
const WIDTH: Record<Kind, number> = { text: 22, integer: 12, money: 16, day: 12, time: 10, moment: 20 }

const beginningOf = (columns: readonly XlsxColumn[]): string => {
  const widths = columns.map(
    ({ kind }, at) => `<col min="${at + 1}" max="${at + 1}" width="${WIDTH[kind]}" customWidth="1"/>`,
  )
  const headings = columns.map(({ heading }, at) => textCell(`${letters(at)}1`, heading, ` s="${STYLE.heading}"`))
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" \
activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>\
<row r="1">${headings.join('')}</row>`
}

const END = '</sheetData></worksheet>'

/** The rows of the pages, one by one. Rows that one sheet does not take are left for the next. */
class Rows {
  readonly #pages: AsyncIterator<readonly Value[][]>
  #page: readonly Value[][] = []
  #next = 0

  constructor(pages: AsyncIterable<readonly Value[][]>) {
    this.#pages = pages[Symbol.asyncIterator]()
  }

  /** @returns at most this many of the rows that are left; none at the end */
  async take(most: number): Promise<readonly Value[][]> {
    if (this.#next === this.#page.length) {
      const { value, done } = await this.#pages.next()
      if (done) return []
      this.#page = value
      this.#next = 0
    }
    const taken = this.#page.slice(this.#next, this.#next + most)
    this.#next += taken.length
    return taken
  }

  async close(): Promise<void> {
    await this.#pages.return?.()
  }
}

const rowWriter = (columns: readonly XlsxColumn[]) => {
  const cells = columns.map(({ kind }, at) => ({ write: CELLS[kind], letter: letters(at) }))
  return (row: readonly Value[], number: number): string => {
    let xml = `<row r="${number}">`
    for (const [at, { write, letter }] of cells.entries()) {
      const value = row[at]
      if (value !== null && value !== undefined) xml += write(`${letter}${number}`, String(value))
    }
    return `${xml}</row>`
  }
}

// --- the workbook --------------------------------------------------------------------------------------------------

const sheetPath = (number: number): string => `worksheets/sheet${number}.xml`

const partsOf = (sheets: number, name: string): Record<string, string> => {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`
  const relationships = (of: string[]) =>
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${of.join('')}</Relationships>`
  const override = (path: string, type: string) =>
    `<Override PartName="/xl/${path}" ContentType="${TYPES}.${type}+xml"/>`
  const titleOf = (number: number) => escaped(number === 1 ? name : `${name} ${number}`)
  return {
    'xl/styles.xml': STYLES,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${numbers
      .map((number) => `<sheet name="${titleOf(number)}" sheetId="${number}" r:id="rId${number}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...numbers.map((number) => relationship(`rId${number}`, 'worksheet', sheetPath(number))),
      relationship('styles', 'styles', 'styles.xml'),
    ]),
    '_rels/.rels': relationships([relationship('workbook', 'officeDocument', 'xl/workbook.xml')]),
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" \
ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${override('workbook.xml', 'sheet.main')}\
${numbers.map((number) => override(sheetPath(number), 'worksheet')).join('')}${override('styles.xml', 'styles')}</Types>`,
  }
}

/**
 * @param pages  the values of each row, in the order of the columns; times are ISO 8601 UTC
 * @param name  of the sheet
 * @param mostRows  in a sheet, with the headings
 * @returns the file; it reads a page when there is room for it, and ends the pages if it is destroyed
 */
export const xlsx = (
  columns: readonly XlsxColumn[],
  pages: AsyncIterable<readonly Value[][]>,
  name: string,
  mostRows = MOST_ROWS,
): Readable => {
  const zip = new ZipFile()
  const rows = new Rows(pages)
  const write = rowWriter(columns)
  const output = zip.outputStream as Readable
  let sheets = 0

  async function* sheet(): AsyncGenerator<string, void, undefined> {
    yield beginningOf(columns)
    let number = 1
    while (number < mostRows) {
      const taken = await rows.take(mostRows - number)
      if (taken.length === 0) break
      let xml = ''
      for (const row of taken) xml += write(row, ++number)
      yield xml
    }
    yield END
    if (number === mostRows) return addSheet()
    for (const [path, xml] of Object.entries(partsOf(sheets, name))) zip.addBuffer(Buffer.from(xml), path)
    zip.end()
  }

  const addSheet = (): void => {
    const source = Readable.from(sheet(), { highWaterMark: 1 })
    source.once('error', (error) => output.destroy(error))
    output.once('close', () => {
      source.destroy()
      void rows.close()
    })
    zip.addReadStream(source, `xl/${sheetPath(++sheets)}`, { compressionLevel: 1 })
  }
  addSheet()
  return output
}
