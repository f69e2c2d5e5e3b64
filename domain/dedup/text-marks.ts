/**
 * Knows texts again without keeping them. A fingerprint tells whether two texts are equal. Marks tell whether one text is a
 * cut of another: every eighth character a check of everything before it, twelve bits each, too little to get the text back.
 * So up to seven characters right before the cut are not compared; amount, balance, time, account and order id are compared
 * beside it anyway.
 */
import { sha256 } from '../sha256.ts'

const STEP = 8
/** Longer texts are not cut by anyone who shows notifications; what is beyond is not marked. */
const MOST_CHARACTERS = 2_048
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** SHA-256 of a normalised text, its first 16 bytes, base64url: 22 characters. */
export const fingerprintOf = (text: string): string => sha256(text, 'base64url').slice(0, 22)

/** Two characters for every eight of the text. */
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

/** How many characters stand before the cut mark (`...`, `…`, `~`) at the end of a text; null where it does not end in one. */
export const cutAt = (text: string): number | null => {
  const end = text.trimEnd()
  if (!end.endsWith('...') && !end.endsWith('…') && !end.endsWith('~')) return null
  let at = end.length
  while (at > 0 && '.…~'.includes(end[at - 1]!)) at--
  return end.slice(0, at).trimEnd().length
}

/** Whether a text cut off after so many characters, with these marks, can be a cut of the text with those marks. */
export const isCutOf = (cut: { marks: string; cut_at: number }, whole: { marks: string }): boolean => {
  const compared = 2 * Math.floor(Math.min(cut.cut_at, MOST_CHARACTERS) / STEP)
  return compared > 0 && whole.marks.length >= compared && whole.marks.startsWith(cut.marks.slice(0, compared))
}
