/** A text made ready for reading. */
import { normalise, shadowOf, squeeze } from '../text.ts'

/** Characters of a text that are read; the rest is kept, not read (decisions, "Limits of sizes"). */
const READ_AT_MOST = 32 * 1024

/** A text and its shadow (lower case, no diacritics), of the same length. */
export interface Page {
  text: string
  shadow: string
}

export const pageOf = (text: string): Page => {
  const whole = squeeze(normalise(text.slice(0, READ_AT_MOST)).slice(0, READ_AT_MOST))
  return { text: whole, shadow: shadowOf(whole) }
}

/** With the title as the first line. */
export const withTitle = (title: Page, body: Page): Page => ({
  text: `${title.text}\n${body.text}`,
  shadow: `${title.shadow}\n${body.shadow}`,
})

/** What ends in one of these has lost its end. */
export const CUT = /(?:\.{3}|…|~)$/
