/**
 * Some core banking systems insert a blank or line end into the memo after a fixed number of characters, also inside a word:
 * `VUON G KIM`, `DH10 42`. If it stayed, the text would pay order 10 instead of 1042.
 */
import { CUT } from './page.ts'

const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/
const LETTERS_ONLY = /^\p{L}+(?![\p{L}\p{N}])/u

/**
 * Whether the inserted break splits a word. If the memo has a blank of its own at that column, this cannot be seen. A word
 * after digits counts as a new word, so the shorter id results (`DH1042` + `NGUYEN`).
 */
export const isInsideWord = (before: string, after: string): boolean =>
  WORD.test(before.slice(-1)) &&
  WORD.test(after.slice(0, 1)) &&
  !(DIGIT.test(before.slice(-1)) && LETTERS_ONLY.test(after))

/** Whether a break is removed, by the text before it and after it. */
export type Joins = (before: string, after: string) => boolean

/**
 * Restores a memo whose columns all end in a blank or line end. A mark of a cut after the last one is not part of it.
 * @param memo  as printed
 * @param column  number of characters between two breaks
 * @returns null if a column does not end in one
 */
export const withoutColumns = (memo: string, column: number, joins: Joins): string | null => {
  const mark = CUT.exec(memo)?.[0] ?? ''
  let whole = ''
  let rest = memo.slice(0, memo.length - mark.length)
  while (rest.length > column) {
    const piece = rest.slice(0, column)
    const next = rest[column] ?? ''
    if (next === ' ' || next === '\n') {
      // A line end with a blank on each side is one break. Any other blank after the break is the payer's.
      rest = rest.slice(column + (rest.startsWith(' \n ', column) ? 3 : 1))
      // After the last break, the text was cut. The blank there is none of the payer's, so that `DH10 ...` touches the cut.
      whole += rest === '' || joins(piece, rest) ? piece : `${piece} `
    } else if (/[ \n]$/.test(piece)) {
      rest = rest.slice(column)
      whole += piece
    } else {
      return null
    }
  }
  return whole + rest + mark
}

/**
 * Restores the memo as it was before the breaks. It is unchanged if a column does not end in a blank or line end.
 * @param memo  as printed, with runs of blanks squeezed
 */
export const undoBreaks = (memo: string, column: number, joins: Joins): string =>
  withoutColumns(memo, column, joins) ?? memo
