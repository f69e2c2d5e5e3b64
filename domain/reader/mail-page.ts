// Tests: tests/unit/domain/reader/mails.test.ts
/**
 * Prepares a mail's text for reading. Removes its HTML, or the marks that a mail program made of it (`*bold*`, `| cells |`). Text
 * that mail programs hide is left out, because nobody sees it.
 */
import { withoutEntities } from './html-entities.ts'
import { pageOf, type Page } from './page.ts'

const HTML = /<(?:html|body|table|div|p|br|td|span|blockquote)\b[^<>]{0,2000}>/i
const QUOTE = /<blockquote\b/i
/** In lower case, like the text that it is applied to. */
const UNSEEN = /<!--|<(style|script|head|title)\b/g
/** Tags that end a line, or with group 1 a cell, or with group 2 begin a quote. */
const BREAK = /<(?:br|\/?(?:p|div|tr|table|li|h[1-6])|\/blockquote|(\/t[dh])|(blockquote))\b[^<>]{0,2000}>/gi
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

/** Text that looks like a tag: the payer wrote `<td>`, and the mail contains `&lt;td&gt;`. */
const TEXT_LIKE_TAG = /<(?=[a-z/!])/gi
/** It is invisible, and `pageOf` removes it. */
const WORD_JOINER = '\u2060'

/**
 * Converts HTML to the visible lines, with `|` between cells and `>` before a quote. Other text is returned unchanged. The result is never HTML,
 * so it can be converted again.
 */
export const plainOf = (mail: string): string =>
  HTML.test(mail)
    ? withoutEntities(
        seenOf(mail)
          .replace(/\s+/g, ' ')
          .replace(BREAK, (_, cell?: string, quote?: string) => (cell ? ' | ' : quote ? '\n> ' : '\n'))
          .replace(TAG, ''),
      ).replace(TEXT_LIKE_TAG, `<${WORD_JOINER}`)
    : mail

/** Whether the HTML of a mail marks a quote. The same mail as plain text may not mark it. */
export const hasQuote = (mail: string): boolean => QUOTE.test(mail)

/** Removes stars that a mail program put around bold text. The stars of a masked card number stay. */
const withoutStars = (text: string): string =>
  text.replace(/^ *\*(.*?)\* *$/gm, '$1').replace(/(^|[ (])\*([^*\n]{1,200})\*(?=[ .,;):]|$)/gm, '$1$2')

/** The page of a mail. */
export const mailPageOf = (mail: string): Page => pageOf(withoutStars(plainOf(mail)))
