/** Reads mails, and writes the tables of their HTML. */
import { read } from '../../../../domain/reader/reader.ts'
import type { Reading } from '../../../../domain/reader/reading.ts'

export const arrival = new Date('2026-11-20T03:00:00Z')
export const mail = (from: string, text: string) => read({ text, from }, arrival)
export const reading = (from: string, text: string): Reading => {
  const result = mail(from, text)
  if (!result.reading) throw new Error(`${result.reason}: ${text}`)
  return result.reading
}

export const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td style="x">${cell}</td>`).join('')}</tr>\n`
export const html = (...rows: string[]) =>
  `<html><head><title>t</title><style>td{color:red}</style></head><body><!-- +9,000,000 VND --><table>${rows.join('')}</table></body></html>`
