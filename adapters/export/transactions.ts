// Tests: tests/integration/http/export.test.ts
/** The file of an export: transactions as CSV, JSON lines or a spreadsheet, written while it is read. */
import { Readable } from 'node:stream'
import { OFFSET_MS } from '../../domain/time.ts'
import type { ExportedTransaction } from '../../projections/transaction/export-queries.ts'
import { headingOf, kindOf, valuesOf, type ColumnName, type Kind, type Value } from './columns.ts'
import { csvLine } from './csv.ts'
import { xlsx } from './xlsx.ts'

export const FORMATS = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof FORMATS)[number]

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export interface ExportOptions {
  format: ExportFormat
  columns: readonly ColumnName[]
  /** The language of the headings. Null: the headings are the names of the columns, for programs. */
  language: 'vi' | 'en' | null
}

/** Without it, spreadsheets take UTF-8 for another encoding. */
const BYTE_ORDER_MARK = '\ufeff'

/** `2026-11-20 14:03:05`, as every spreadsheet reads it. */
const vietnamese = (moment: string): string =>
  new Date(Date.parse(moment) + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')

const CSV_TEXT: Partial<Record<Kind, (value: string) => string>> = {
  // Where the point separates thousands, `150000.00` would not be read as a number.
  money: (value) => value.replace(/\.00$/, ''),
  day: (value) => vietnamese(value).slice(0, 10),
  time: (value) => vietnamese(value).slice(11),
  moment: vietnamese,
}

async function* csv(columns: readonly ColumnName[], headings: readonly string[], pages: AsyncIterable<Value[][]>) {
  const texts = columns.map((name) => CSV_TEXT[kindOf(name)])
  const line = (row: Value[]): string =>
    csvLine(row.map((value, at) => (value === null ? null : (texts[at]?.(String(value)) ?? value))))
  yield BYTE_ORDER_MARK + csvLine(headings)
  for await (const page of pages) yield page.map(line).join('')
}

async function* valuesIn(pages: AsyncIterable<ExportedTransaction[]>, columns: readonly ColumnName[]) {
  const values = valuesOf(columns)
  for await (const page of pages) yield page.map(values)
}

const SHEET = { vi: 'Giao dịch', en: 'Transactions' }

/** @returns the file; a failure to read the pages destroys it */
export const exportFile = (
  pages: AsyncIterable<ExportedTransaction[]>,
  { format, columns, language }: ExportOptions,
): Readable => {
  const headings = columns.map((name) => headingOf(name, language))
  const values = valuesIn(pages, columns)
  if (format === 'csv') return Readable.from(csv(columns, headings, values), { highWaterMark: 1 })
  const shown = columns.map((name, at) => ({ heading: headings[at]!, kind: kindOf(name) }))
  return xlsx(shown, values, SHEET[language ?? 'vi'])
}
