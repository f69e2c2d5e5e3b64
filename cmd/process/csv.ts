/**
 * Comma separated values as RFC 4180 has them, safe to open in a spreadsheet: payers write memos, and a memo must not be a formula.
 *
 * Spreadsheets take a cell for a formula by its first character, some of them after blanks, quotes or a byte order mark, and some in
 * full-width letters. Where the computer's language separates columns by semicolons, or lines are read before quotes, a text falls into
 * several cells, so what follows such a separator inside a text counts as the beginning of a cell too. An apostrophe in front makes it
 * a text everywhere.
 */

/** `= + - @ | %`, and their full-width, small, raised, lowered and mathematical forms. */
const FORMULA = '=+\\-@|%＝＋－＠｜％﹦﹢﹣﹫﹪⁼⁺⁻₌₊₋−'
/** Between cells, or between lines, in one program or another. */
const SEPARATOR = ';；|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Passed over in front of a formula: blanks, invisible characters, quotes; never a separator, so that the search is linear. */
const PASSED_OVER = `(?![${SEPARATOR}])[\\s\\p{Cc}\\p{Cf}"'\`´‘’“”«»]`

const CELL_OF_A_FORMULA = new RegExp(`(?<=^|[${SEPARATOR}])((?:${PASSED_OVER})*)(?=[${FORMULA}])`, 'gu')
/** Programs drop these from a cell's beginning. */
const BEGINS_INVISIBLY = /^[\t\r\n]/
/** A spreadsheet may well take these for numbers. */
const IS_A_NUMBER = /^-?\d+(\.\d+)?$/

/** @returns the text with an apostrophe wherever a spreadsheet would begin a formula; numbers stay numbers */
export const harmless = (text: string): string => {
  if (IS_A_NUMBER.test(text)) return text
  const guarded = text.replace(CELL_OF_A_FORMULA, "'$1")
  return BEGINS_INVISIBLY.test(guarded) ? `'${guarded}` : guarded
}

/** null is empty. */
const field = (value: string | number | null): string => {
  const text = harmless(value === null ? '' : String(value))
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** With its line break. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`
