// Tests: tests/unit/domain/dedup/text-marks.test.ts
/**
 * Recognises texts without storing them. Fingerprints show whether two texts are equal. Marks show whether one text is a cut of
 * another: after every eighth character they hold a 12-bit check of everything before it, which is too little to recover the
 * text. So up to seven characters right before the cut are not compared. Amount, balance, time, account and order id are
 * compared separately.
 */
import { sha256 } from '../sha256.ts'

const STEP = 8
/** Known apps cut texts after fewer characters, so the rest of a text is not marked. */
const MOST_CHARACTERS = 2_048
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** First 16 bytes of the SHA-256 of a normalised text, base64url: 22 characters. */
export const fingerprintOf = (text: string): string => sha256(text, 'base64url').slice(0, 22)

/** Two characters for every eight characters of the text. */
export const marksOf = (text: string): string => {
  const end = Math.min(text.length, MOST_CHARACTERS)
  let marks = ''
  let check = 0x811c9dc5
  for (let index = 0; index < end; index++) {
    check = Math.imul(check ^ text.charCodeAt(index), 0x01000193)
    if ((index + 1) % STEP === 0) {
      const folded = (check ^ (check >>> 13)) >>> 0
      marks += DIGITS[folded & 63]! + DIGITS[(folded >>> 6) & 63]!
    }
  }
  return marks
}

/** Number of characters before the cut mark (`...`, `…`, `~`) at the end of a text. Null if the text does not end in one. */
export const cutAt = (text: string): number | null => {
  const end = text.trimEnd()
  if (!end.endsWith('...') && !end.endsWith('…') && !end.endsWith('~')) return null
  let at = end.length
  while (at > 0 && '.…~'.includes(end[at - 1]!)) at--
  return end.slice(0, at).trimEnd().length
}

/** Whether `cut`, which was cut off after `cut_at` characters, can be a cut of `whole`. */
export const isCutOf = (cut: { marks: string; cut_at: number }, whole: { marks: string }): boolean => {
  const compared = 2 * Math.floor(Math.min(cut.cut_at, MOST_CHARACTERS) / STEP)
  return compared > 0 && whole.marks.startsWith(cut.marks.slice(0, compared))
}
