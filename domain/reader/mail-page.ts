/**
 * A mail's text made ready for reading: its HTML taken off, or what a mail program made of it (`*bold*`, `| cells |`). What a mail
 * program hides is left out, as nobody would see it.
 */
import { pageOf, type Page } from './page.ts'

const ENTITIES: Record<string, string> = {
  nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", dong: 'đ', minus: '-', ndash: '-', mdash: '-', rsquo: '’', bull: '•',
} // prettier-ignore

const entity = (whole: string, name: string): string => {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? letterNamed(name) ?? whole
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

const MARKS: Record<string, string> = {
  grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', uml: '\u0308',
} // prettier-ignore

/** `&agrave;`, `&Ocirc;`: a letter and its mark. */
const letterNamed = (name: string): string | null => {
  const [, letter = '', mark = ''] = /^([a-z])(grave|acute|circ|tilde|uml)$/i.exec(name) ?? []
  return letter ? (letter + (MARKS[mark.toLowerCase()] ?? '')).normalize('NFC') : null
}

const HTML = /<(?:html|body|table|div|p|br|td|span)\b[^<>]{0,2000}>/i
/** In lower case, as all that is looked for there. */
const UNSEEN = /<!--|<(style|script|head|title)\b/g
/** What ends a line, or with group 1 a cell. */
const BREAK = /<(?:br|\/?(?:p|div|tr|table|li|h[1-6])|(\/t[dh]))\b[^<>]{0,2000}>/gi
const TAG = /<\/?[a-z][^<>]{0,2000}>/gi

/** Without comments, styles and what else no mail program shows; what is not closed ends the mail. */
const seenOf = (html: string): string => {
  // Of the same length: `İ` is the one letter that becomes two.
  const lower = html.replaceAll('İ', 'I').toLowerCase()
  let seen = ''
  let at = 0
  for (;;) {
    UNSEEN.lastIndex = at
    const found = UNSEEN.exec(lower)
    if (!found) return seen + html.slice(at)
    seen += `${html.slice(at, found.index)} `
    const closing = found[1] ? `</${found[1]}` : '-->'
    const closed = lower.indexOf(closing, found.index)
    const end = closed < 0 ? -1 : lower.indexOf('>', closed)
    if (end < 0) return seen
    at = end + 1
  }
}

/** HTML as the lines that one sees, cells with `|` between them; any other text as it is. */
export const plainOf = (mail: string): string =>
  HTML.test(mail)
    ? seenOf(mail)
        .replace(/\s+/g, ' ')
        .replace(BREAK, (_, cell?: string) => (cell ? ' | ' : '\n'))
        .replace(TAG, '')
        .replace(/&(#?[a-z0-9]{1,10});/gi, entity)
    : mail

/** Bold that a mail program marked with stars; the stars of a masked card number stay. */
const withoutStars = (text: string): string =>
  text.replace(/^[ ]*\*([^\n]*?)\*[ ]*$/gm, '$1').replace(/(^|[ (])\*([^*\n]{1,200})\*(?=[ .,;):]|$)/gm, '$1$2')

/** The page of a mail. */
export const mailPageOf = (mail: string): Page => pageOf(withoutStars(plainOf(mail)))
