/**
 * Splits a stranger's text into what is shown as it is, and characters that are invisible or turn the direction of writing. They are shown
 * as marks, because they can make a text look like another one.
 */

const HIDDEN =
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}])/u

/** A heart or a family consists of several characters, some of them invisible. They belong to it. */
const EMOJI =
  /((?:\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?[\ufe0e\ufe0f]?)(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)*|[0-9#*]\ufe0f\u20e3)/u

/** `domain/reader/mail-page.ts` puts it behind a `<` that a payer wrote into an HTML mail, so that the text never becomes a tag. */
const OWN_JOINER = /<\u2060(?=[a-z/!])/gi

export interface Piece {
  text: string
  isMark: boolean
}

const withMarks = (text: string): Piece[] =>
  text
    .split(HIDDEN)
    .filter((piece) => piece !== '')
    .map((piece) =>
      HIDDEN.test(piece)
        ? { text: `U+${piece.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`, isMark: true }
        : { text: piece, isMark: false },
    )

/** @returns the pieces in order; a mark's text is the code point, such as `U+202E` */
export const piecesOf = (text: string): Piece[] =>
  text
    .replace(OWN_JOINER, '<')
    .split(EMOJI)
    // The emojis stand at the odd places.
    .flatMap((part, index) => (index % 2 === 1 ? [{ text: part, isMark: false }] : withMarks(part)))

/** The text with its marks, where no element can be, such as in a list to choose from. */
export const marked = (text: string): string =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('')
