// Tests: tests/unit/domain/reader/mails.test.ts
/**
 * Prepares a mail's text for reading. Removes its HTML, or the marks that a mail program made of it (`*bold*`, `| cells |`). Text
 * that mail programs hide is left out, because nobody sees it.
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

/** `&agrave;`, `&Ocirc;`: a letter and its diacritic. */
const letterNamed = (name: string): string | null => {
  const [, letter = '', mark = ''] = /^([a-z])(grave|acute|circ|tilde|uml)$/i.exec(name) ?? []
  return letter ? (letter + (MARKS[mark.toLowerCase()] ?? '')).normalize('NFC') : null
}

const HTML = /<(?:html|body|table|div|p|br|td|span)\b[^<>]{0,2000}>/i
/** In lower case, like the text that it is applied to. */
const UNSEEN = /<!--|<(style|script|head|title)\b/g
/** Tags that end a line, or with group 1 a cell. */
const BREAK = /<(?:br|\/?(?:p|div|tr|table|li|h[1-6])|(\/t[dh]))\b[^<>]{0,2000}>/gi
const TAG = /<\/?[a-z][^<>]{0,2000}>/gi

/** Removes comments, styles and everything else that no mail program shows. An element that is never closed ends the mail. */
const seenOf = (html: string): string => {
  // Keeps the length: `İ` is the only letter that becomes two characters in lower case.
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

/** Converts HTML to the visible lines, with `|` between cells. Other text is returned unchanged. */
export const plainOf = (mail: string): string =>
  HTML.test(mail)
    ? seenOf(mail)
        .replace(/\s+/g, ' ')
        .replace(BREAK, (_, cell?: string) => (cell ? ' | ' : '\n'))
        .replace(TAG, '')
        .replace(/&(#?[a-z0-9]{1,10});/gi, entity)
    : mail

/** Removes stars that a mail program put around bold text. The stars of a masked card number stay. */
const withoutStars = (text: string): string =>
  text.replace(/^[ ]*\*([^\n]*?)\*[ ]*$/gm, '$1').replace(/(^|[ (])\*([^*\n]{1,200})\*(?=[ .,;):]|$)/gm, '$1$2')

/** The page of a mail. */
export const mailPageOf = (mail: string): Page => pageOf(withoutStars(plainOf(mail)))
