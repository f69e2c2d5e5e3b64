// Tests: tests/unit/adapters/http/receive/nothing-lost.test.ts
/**
 * Repairs forms and queries of apps that do not encode every character of a text. A form parser would turn a raw plus into a blank, and end
 * the text at a raw `&`.
 */
import { isNameOf, NAMES } from './field-names.ts'

/** A body that contains raw whitespace was never form-encoded. */
export const isEncoded = (text: string): boolean => !/[\s\u0080-\uffff]/.test(text.trim())

/** Whether an encoder of whole addresses wrote it: it leaves these characters, `&` and `=`. One of fields encodes them, and each bank's text has some. */
export const isHalfEncoded = (text: string): boolean => /[;,/?:@$#]/.test(text)

/** An encoder writes a blank either as `%20` or as `+`, not both. Beside `%20`, and in a form that is not encoded, a plus is the sign of an amount. */
const hasRawPlus = (text: string): boolean => text.includes('+') && (text.includes('%20') || !isEncoded(text))

/** The name that begins a field. */
const FIELD = /^([\w.%[\]-]{1,60})=/

/** Whether an `&` is followed by no field. */
const hasRawAmpersand = (text: string): boolean => /&(?![\w.%[\]-]{1,60}=|$)/.test(text)

const isOfText = (name: string): boolean => {
  const plain = name.replace(/%5b/i, '[').replace(/%5d/i, ']')
  return isNameOf(NAMES.text, plain) || isNameOf(NAMES.unfolded, plain)
}

/** Joins a piece that is not a field to the text before it. */
const withWholeTexts = (text: string): string => {
  let inText = false
  let mended = ''
  const pieces = text.split('&')
  pieces.forEach((piece, index) => {
    const [, name] = FIELD.exec(piece) ?? []
    const isOnText = inText && name === undefined && (piece !== '' || index < pieces.length - 1)
    if (!isOnText) inText = name !== undefined && isOfText(name)
    mended += `${index === 0 ? '' : isOnText ? '%26' : '&'}${piece}`
  })
  return mended
}

/** If a value has an escape, and another `%` in it begins no valid one, Node's parser would replace each of its letters outside ASCII. */
const withEncodedLetters = (text: string): string =>
  text.includes('%') ? text.replace(/[^\p{ASCII}]+/gu, encodeURIComponent) : text

/** @returns the form or query for a form parser; the same text if nothing had to be repaired */
export const mendedForm = (text: string): string => {
  const plus = hasRawPlus(text) ? text.replaceAll('+', '%2B') : text
  return withEncodedLetters(hasRawAmpersand(plus) ? withWholeTexts(plus) : plus)
}

/** Decodes a plain text whose blanks are encoded. Any other text, and one that cannot be decoded, stays as it is. */
export const percentDecoded = (text: string): string => {
  if (!/%(?:20|0a|0d)/i.test(text) || !isEncoded(text)) return text
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text
  }
}
