/** Comma separated values as RFC 4180 has them. */

/** Text that a spreadsheet would take for a formula: who pays writes the memo. */
const LOOKS_LIKE_A_FORMULA = /^[=+\-@\t\r]/
const IS_A_NUMBER = /^-?\d+(\.\d+)?$/

/** null is empty; what looks like a formula gets an apostrophe in front. */
const field = (value: string | number | null): string => {
  const text = value === null ? '' : String(value)
  const harmless = LOOKS_LIKE_A_FORMULA.test(text) && !IS_A_NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** With its line break. */
export const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`
