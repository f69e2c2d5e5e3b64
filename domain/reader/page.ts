// Tests: tests/unit/domain/reader/corpus.test.ts
/** A text prepared for reading. */
import { inPlace, normaliseInPlace, shadowOf, squeeze, withoutEnd, withoutInvisible } from '../text.ts'

/** The reader uses this many characters of a text. The rest is stored but not read (decisions, "Limits of sizes"). */
const READ_AT_MOST = 32 * 1024

/** Longer than any bank's notification, including a mail with its footer. More text would cost time and add no information. */
export const NOTIFICATION_AT_MOST = 8_000

/** A text and its shadow (lower case, no diacritics), of the same length. */
export interface Page {
  text: string
  shadow: string
  /**
   * The text with its runs of blanks and the positions of its invisible characters, because a bank that breaks memos at a column counts them.
   * Undefined if it has none.
   */
  loose?: string
  /** Like `loose`, with the letters as they arrived, if NFKC changed them: a bank may have counted `½` or a decomposed `é`. */
  uncomposed?: string
}

/**
 * Lines that forwarder apps append to an SMS: the SIM, its number, the phone's time, the phone's name. `SIM 0912…`, `SIM 4G …` and
 * `SIM1 …` are memos.
 */
const FORWARDERS_LINES =
  /\n(?:SIM[ _-]?\d(?:[_:][^\n]*| ?\([^()\n]*\))?|SubId: ?\d{1,4}|\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})(?=\n|$)(?:\n[^\n]{0,60}){0,4}$/i

/** Where the lines begin that a forwarder app appended to a text. Its end if it has none. */
export const startOfForwardersLines = (squeezed: string): number => {
  const start = squeezed.search(FORWARDERS_LINES)
  return start < 0 ? squeezed.length : start
}

/** The text without the lines that a forwarder app appended. */
export const withoutForwardersLines = (page: Page): Page => {
  const { text, shadow, loose, uncomposed } = page
  const end = startOfForwardersLines(text)
  if (end === text.length) return page
  const lines = text.slice(end)
  return {
    text: text.slice(0, end),
    shadow: shadow.slice(0, end),
    ...(loose !== undefined && { loose: withoutEnd(loose, lines) }),
    ...(uncomposed !== undefined && { uncomposed: withoutEnd(uncomposed, lines) }),
  }
}

export const pageOf = (text: string): Page => {
  const given = text.slice(0, READ_AT_MOST)
  const composed = normaliseInPlace(given)
  const arrived = composed === given ? given : inPlace(given)
  const loose = composed.slice(0, READ_AT_MOST).trim()
  const whole = squeeze(withoutInvisible(loose))
  return {
    text: whole,
    shadow: shadowOf(whole),
    ...(loose.length > whole.length && { loose }),
    ...(composed !== arrived && { uncomposed: arrived.trim() }),
  }
}

/** The part of a page that a bank's own words can fill: whole lines of it, or a line that is marked as cut. */
export const beginningOf = (page: Page): Page => {
  const { text, shadow } = page
  if (text.length <= NOTIFICATION_AT_MOST) return page
  const lines = text.lastIndexOf('\n', NOTIFICATION_AT_MOST)
  if (lines > 0) return { text: text.slice(0, lines), shadow: shadow.slice(0, lines) }
  return { text: `${text.slice(0, NOTIFICATION_AT_MOST)}…`, shadow: `${shadow.slice(0, NOTIFICATION_AT_MOST)}…` }
}

/** Adds the title as the first line. */
export const withTitle = (title: Page, body: Page): Page => ({
  text: `${title.text}\n${body.text}`,
  shadow: `${title.shadow}\n${body.shadow}`,
  ...(body.loose !== undefined && { loose: body.loose }),
  ...(body.uncomposed !== undefined && { uncomposed: body.uncomposed }),
})

/** A text that ends in one of these marks has lost its end. */
export const CUT = /(?:\.{3}|…|~)$/

/** Where the words of a text end: before the mark of a cut. */
export const endOfWords = (text: string): number => CUT.exec(text)?.index ?? text.length
