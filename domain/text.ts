/**
 * Texts as phones and banks send them, made comparable. What is kept and shown is always the original; only reading
 * happens on these forms.
 */

const ONLY_PLAIN = /^[\n\x20-\x7e]*$/
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g
/** Every blank but the plain one. */
const BLANKS = /\t|(?! )\p{Zs}/gu
/** Soft hyphen, zero-width and direction characters, joiners, variation selectors, byte order mark, other controls. */
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/g

/**
 * NFKC; zero-width and direction characters removed; every kind of blank a blank, every kind of line end `\n`;
 * U+2212 a minus. Runs of blanks stay runs: see `squeeze`.
 */
export const normalise = (text: string): string =>
  ONLY_PLAIN.test(text)
    ? text
    : text
        .normalize('NFKC')
        .replace(LINE_ENDS, '\n')
        .replace(BLANKS, ' ')
        .replace(INVISIBLE, '')
        .replace(/\u2212/g, '-')
        .normalize('NFKC')

/** A run of blanks becomes one: `\n` where it held a line end, else a blank. None at the ends. */
export const squeeze = (text: string): string =>
  (/[ \n]{2}/.test(text) ? text.replace(/[ \n]{2,}/g, (run) => (run.includes('\n') ? '\n' : ' ')) : text).trim()

/** What each letter is in a shadow, by its code; letters behind it are their own. */
const SHADOWS = Array.from({ length: 0x2100 }, (_, code) => {
  const letter = String.fromCharCode(code)
  const base = letter.normalize('NFD').charAt(0)
  const lower = (base <= 'z' ? base : letter).toLowerCase()
  return lower.length === 1 ? lower : letter
})
for (const letter of 'đĐ₫') SHADOWS[letter.charCodeAt(0)] = 'd'

/**
 * The text in lower case and without diacritics, `₫` and `đ` as `d`, **of the same length**, so that an offset found in
 * the shadow is an offset in the text. Expects a normalised text.
 */
export const shadowOf = (text: string): string => {
  if (ONLY_PLAIN.test(text)) return text.toLowerCase()
  let shadow = ''
  for (let at = 0; at < text.length; at += 1) shadow += SHADOWS[text.charCodeAt(at)] ?? text.charAt(at)
  return shadow
}

/**
 * A text, or what is looked for in one, so that a search finds it whatever its case and however its letters are composed;
 * anything else, diacritics too, must be as it is (interface, section 4.2). It holds neither U+FFFF, which is no character,
 * nor NUL.
 */
export const foldedForSearch = (text: string): string =>
  ONLY_PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFC')
        .toLowerCase()
        .replace(/[\0\uffff]/g, '\ufffd')
