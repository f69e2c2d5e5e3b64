/**
 * What a search is found by whose trigrams are all frequent, but seldom together: a bank's references that begin alike, or two
 * words that hardly ever stand side by side. A text's *pieces* are
 *
 * - six letters or digits in a row, one of them a digit at least: `ft2600`;
 * - the last three letters of a word, a blank and the first two of the next: `oan ha`.
 *
 * What is a piece is told by its own characters. So whatever text has a search in it has all pieces of the search, too; the
 * other way round they only say where to look. They are kept as numbers of 16 bits, to take little room: one stands for many.
 */

/** Shorter ones are in so many texts where their trigrams are frequent that there is no haste, and each costs its writing. */
const LENGTH = 6
const BEFORE_BLANK = 3
const AFTER_BLANK = 2

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** a to z, and all that is not ASCII, up to surrogates. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 0x80 && code < 0xd800)

/** FNV-1a, folded. */
const numberOf = (text: string, from: number, to: number): number => {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 16)) << 16) >> 16
}

/** @param text  as `foldedForSearch` makes it · @returns numbers from -32768 to 32767, each once */
export const piecesOf = (text: string): number[] => {
  const found = new Set<number>()
  /** How many letters and digits end here, and how many letters. */
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
