/**
 * Makes texts from phones and banks comparable. The original text is always what is stored and shown. Only the reader uses
 * these forms.
 */

const ONLY_PLAIN = /^[\n\x20-\x7e]*$/
/** Letters with diacritics, dashes, quotes and bullets too. Most texts have no other characters, so this test saves the others. */
const ONLY_LATIN = /^[\n\x20-\x7e\u00c0-\u024f\u1e00-\u1eff\u2010-\u2027₫]*$/
const LINE_ENDS = /\r\n?/g
/**
 * Every blank except the plain one. The rarer line ends of Unicode count as blanks: no bank prints them, and a payer who writes one must not begin
 * a line of the bank's.
 */
const BLANKS = /[\t\v\f\u0085\u2028\u2029\u2800]|(?! )\p{Zs}/gu
/**
 * Soft hyphen, zero-width and direction characters, joiners, fillers, tags, variation selectors, byte order mark, marks of annotations, other
 * controls.
 */
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\ufff9-\ufffc]|\p{Default_Ignorable_Code_Point}/gu
/** Stands for one invisible character. */
const INVISIBLE_PLACE = '\u2060'

/** The text with plain blanks, line ends and dashes, and `INVISIBLE_PLACE` for each invisible character. Its letters stay as they are. */
export const inPlace = (text: string): string =>
  ONLY_LATIN.test(text)
    ? text
    : text
        .replace(LINE_ENDS, '\n')
        .replace(BLANKS, ' ')
        .replace(INVISIBLE, (found) => INVISIBLE_PLACE.repeat(found.length))
        .replace(/\u2212/g, '-')

/** Like `normalise`, but with `INVISIBLE_PLACE` for each invisible character: a bank that breaks memos at a column counts them. */
export const normaliseInPlace = (text: string): string =>
  ONLY_PLAIN.test(text) ? text : inPlace(text.normalize('NFKC'))

/** Removes the marks of invisible characters. */
export const withoutInvisible = (text: string): string =>
  text.includes(INVISIBLE_PLACE) ? text.replaceAll(INVISIBLE_PLACE, '').normalize('NFKC') : text

/**
 * Applies NFKC. Removes zero-width and direction characters. Every kind of blank becomes a blank, a carriage return becomes a line
 * end, and U+2212 becomes a minus. Runs of blanks stay as they are: see `squeeze`.
 */
export const normalise = (text: string): string => withoutInvisible(normaliseInPlace(text))

/**
 * Like `text.matchAll(expression)`, which copies the expression first. For a long one, this takes longer than the search.
 * @param expression  with the flag `g`. It never matches an empty text.
 */
export function* matchesIn(text: string, expression: RegExp): Generator<RegExpExecArray, void> {
  let from = 0
  for (;;) {
    expression.lastIndex = from
    const match = expression.exec(text)
    if (!match) return
    from = expression.lastIndex
    yield match
  }
}

/** A run of blanks becomes `\n` if it contains a line end, and one blank otherwise. Blanks at both ends are removed. */
export const squeeze = (text: string): string =>
  (/[ \n]{2}/.test(text) ? text.replace(/[ \n]{2,}/g, (run) => (run.includes('\n') ? '\n' : ' ')) : text).trim()

/** A mark of a letter too: it is part of the letter, or not yet if an invisible character stands between. */
const UNSEEN = new RegExp(`[ \\n${INVISIBLE_PLACE}]|(?=[\\0-\\uffff])\\p{M}`, 'gu')
const PLAIN_SIGN = /^[!-~]$/
/** How many letters and signs a text shows, however they are composed. */
export const seenIn = (text: string): number =>
  PLAIN_SIGN.test(text) ? 1 : text.normalize('NFKD').replace(UNSEEN, '').length

/** The character before a position. */
const characterBefore = (text: string, at: number): string => {
  const two = text.slice(Math.max(0, at - 2), at)
  return two.codePointAt(0)! > 0xffff ? two : two.slice(-1)
}

/**
 * Where the end of a text begins in another form of that text, which may have runs of blanks, invisible characters and letters that are not
 * composed.
 * @param whole  the whole text in that form
 */
export const startOfEnd = (whole: string, end: string): number => {
  let left = seenIn(end)
  let at = whole.length
  while (left > 0 && at > 0) {
    const character = characterBefore(whole, at)
    left -= seenIn(character)
    at -= character.length
  }
  return at
}

/** A text in another form without an end of it, and without the blanks before that. */
export const withoutEnd = (whole: string, end: string): string => whole.slice(0, startOfEnd(whole, end)).trimEnd()

/** The shadow of each letter, by its code. Letters beyond this table are their own shadow. */
const SHADOWS = Array.from({ length: 0x2100 }, (_, code) => {
  const letter = String.fromCharCode(code)
  const base = letter.normalize('NFD').charAt(0)
  const lower = (base <= 'z' ? base : letter).toLowerCase()
  return lower.length === 1 ? lower : letter
})
for (const letter of 'đĐ₫') SHADOWS[letter.charCodeAt(0)] = 'd'

/**
 * The text in lower case and without diacritics, with `₫` and `đ` as `d`. It has **the same length**, so an offset found in the
 * shadow is an offset in the text. The text must be normalised.
 */
export const shadowOf = (text: string): string => {
  if (ONLY_PLAIN.test(text)) return text.toLowerCase()
  let shadow = ''
  for (let at = 0; at < text.length; at += 1) shadow += SHADOWS[text.charCodeAt(at)] ?? text.charAt(at)
  return shadow
}

/**
 * Folds a text or a search string, so that a search ignores case and the composition of letters. Everything else must match
 * exactly, including diacritics (interface, section 4.2). The result contains neither U+FFFF, which is not a character, nor NUL.
 */
export const foldedForSearch = (text: string): string =>
  ONLY_PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFC')
        .toLowerCase()
        .replace(/[\0\uffff]/g, '\ufffd')
