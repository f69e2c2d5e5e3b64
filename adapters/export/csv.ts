// Tests: tests/attack/csv.test.ts
/**
 * Writes comma-separated values (RFC 4180) that are safe to open in a spreadsheet. Payers write the memos, and a memo must not be run as a
 * formula.
 *
 * A spreadsheet recognizes a formula by its first character. Some programs skip blanks, quotes or a byte order mark before it, and some
 * accept full-width characters. If the computer's locale separates columns by semicolons, or a program reads lines before quotes, one text
 * is split into several cells. So the text after such a separator also counts as the beginning of a cell. An apostrophe in front turns the
 * cell into text in every program.
 */

/** `= + - @ | %`, and their full-width, small, superscript, subscript and mathematical forms. */
const FORMULA = '=+\\-@|%＝＋－＠｜％﹦﹢﹣﹫﹪⁼⁺⁻₌₊₋−'
/** Characters that separate cells or lines in at least one program. */
const SEPARATOR = ';；|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029'
/** Characters skipped before a formula: blanks, invisible characters, quotes. Separators are excluded, so that the search is linear. */
const PASSED_OVER = `(?![${SEPARATOR}])[\\s\\p{Cc}\\p{Cf}"'\`´‘’“”«»]`

const CELL_OF_A_FORMULA = new RegExp(`(?<=^|[${SEPARATOR}])((?:${PASSED_OVER})*)(?=[${FORMULA}])`, 'gu')
/** Programs remove these from the beginning of a cell. */
const BEGINS_INVISIBLY = /^[\t\r\n]/
/** Numbers stay as they are: a spreadsheet may read them as numbers. */
const IS_A_NUMBER = /^-?\d+(\.\d+)?$/

/** @returns the text with an apostrophe before each possible formula; numbers are unchanged */
export const harmless = (text: string): string => {
  if (IS_A_NUMBER.test(text)) return text
  const guarded = text.replace(CELL_OF_A_FORMULA, "'$1")
  return BEGINS_INVISIBLY.test(guarded) ? `'${guarded}` : guarded
}

/** Null becomes an empty field. */
const field = (value: string | number | null): string => {
  const text = harmless(value === null ? '' : String(value))
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line, including its line break. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`
