/**
 * Some cores put a blank or line end into the memo after every so many characters, also inside a word: `VUON G KIM`,
 * `DH10 42`. Left alone, that would pay order 10 in place of 1042.
 */

const WORD = /[\p{L}\p{N}]/u
const DIGIT = /\d/
const LETTERS_ONLY = /^\p{L}+(?![\p{L}\p{N}])/u

/**
 * Whether the blank between two pieces was put there by the column. Where the bank prints a blank at the column anyway it cannot be
 * seen; a word behind digits is taken for a new word, so that the shorter id stands (`DH1042` + `NGUYEN`).
 */
const isInsideWord = (before: string, after: string): boolean =>
  WORD.test(before.slice(-1)) &&
  WORD.test(after.slice(0, 1)) &&
  !(DIGIT.test(before.slice(-1)) && LETTERS_ONLY.test(after))

/**
 * The memo as it was before it was broken; unchanged where it was not: every column must end in a blank or line end.
 * @param memo  as printed, runs of blanks squeezed
 * @param column  characters between two breaks
 */
export const undoBreaks = (memo: string, column: number): string => {
  let whole = ''
  let rest = memo
  while (rest.length > column) {
    const piece = rest.slice(0, column)
    const next = rest[column] ?? ''
    if (next === ' ' || next === '\n') {
      rest = rest.slice(column + 1)
      whole += isInsideWord(piece, rest) ? piece : `${piece} `
    } else if (/[ \n]$/.test(piece)) {
      rest = rest.slice(column)
      whole += piece
    } else {
      return memo
    }
  }
  return whole + rest
}
