/**
 * An index for searches whose trigrams are all frequent but rarely occur together: a bank's references that begin alike, or two
 * words that rarely stand side by side. The *pieces* of a text are:
 *
 * - six letters or digits in a row, at least one of them a digit: `ft2600`;
 * - the last three letters of a word, a blank and the first two letters of the next word: `oan ha`.
 *
 * Only its own characters decide whether a substring is a piece. So a text that contains a search string also contains all
 * pieces of that string. The reverse does not hold: pieces only show where to look. To save space, pieces are stored as 16-bit
 * numbers, so several pieces share one number.
 */

/** Shorter pieces occur in so many texts if their trigrams are frequent that they save no time, and each has a write cost. */
const LENGTH = 6
const BEFORE_BLANK = 3
const AFTER_BLANK = 2

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** a to z, and everything that is not ASCII, up to surrogates. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 0x80 && code < 0xd800)

/** FNV-1a, folded. */
const numberOf = (text: string, from: number, to: number): number => {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 16)) << 16) >> 16
}

/** @param text  a result of `foldedForSearch` · @returns numbers from -32768 to 32767, each once */
export const piecesOf = (text: string): number[] => {
  const found = new Set<number>()
  /** The number of letters and digits in a row that end here, and the number of letters. */
  let run = 0
  let letters = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isLetter(code)) letters++
    else if (isDigit(code)) letters = 0
    else {
      const to = at + 1 + AFTER_BLANK
      const isBetween = code === 32 && letters >= BEFORE_BLANK && isLetter(text.charCodeAt(at + 1))
      if (isBetween && isLetter(text.charCodeAt(at + AFTER_BLANK))) found.add(numberOf(text, at - BEFORE_BLANK, to))
      run = letters = 0
      continue
    }
    run++
    if (run >= LENGTH && letters < LENGTH) found.add(numberOf(text, at + 1 - LENGTH, at + 1))
  }
  return [...found]
}
