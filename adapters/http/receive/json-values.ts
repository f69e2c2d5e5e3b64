/**
 * Measures the size of a JSON text before it is parsed or checked. A parsed value takes up to fifty times its bytes in memory, and a schema
 * reports one issue for each value that it refuses.
 */
import { decoderOf, type Charset } from './charset.ts'
import { BACKSLASH, COMMA, endOfString, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-text.ts'

/** Most values in one body. A batch of 200 notifications with all their fields has a tenth of that. */
export const MOST_VALUES = 50_000

/**
 * Whether a JSON text has more values than any request needs. Each comma and each opening bracket outside strings counts as a value, so
 * deep nesting counts too. Reads each character once and stops at the limit. The result has no meaning for a text that is not JSON.
 */
export const hasTooManyValues = (json: string): boolean => {
  if (json.length <= MOST_VALUES) return false
  let values = 0
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === QUOTE) index = endOfString(json, index + 1)
    else if ((code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) && ++values > MOST_VALUES) return true
  }
  return false
}

/**
 * Counts the values of a JSON body as its bytes arrive, by the same rule, so that it can be refused before it is parsed.
 * @returns a function that takes the next bytes and returns whether there are too many values
 */
export const valueCounter = (charset: Charset): ((bytes: Buffer) => boolean) => {
  const decoder = charset === 'utf-8' ? null : decoderOf(charset)
  let values = 0
  let isInString = false
  let isEscaped = false
  const take = (code: number): void => {
    if (isEscaped) isEscaped = false
    else if (code === QUOTE) isInString = !isInString
    else if (isInString) isEscaped = code === BACKSLASH
    else if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) values++
  }
  return (bytes) => {
    if (decoder) for (const character of decoder.decode(bytes, { stream: true })) take(character.charCodeAt(0))
    else for (const byte of bytes) take(byte)
    return values > MOST_VALUES
  }
}

/** Limits for bodies of management endpoints: above what any schema allows in values, text length and name length. */
export const MOST_CHECKED = 2_000
export const LONGEST_TEXT = 100_000
export const LONGEST_NAME = 1_000

/**
 * Whether a parsed body exceeds what any schema of a management endpoint accepts. Validating such a body would waste time. Checks at most
 * 2,000 values.
 */
export const looksTooLarge = (body: unknown): boolean => {
  const left: unknown[] = [body]
  let seen = 0
  while (left.length > 0) {
    if (++seen > MOST_CHECKED) return true
    const value = left.pop()
    if (typeof value === 'string' && value.length > LONGEST_TEXT) return true
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      if (value.length > MOST_CHECKED) return true
      left.push(...(value as unknown[]))
      continue
    }
    for (const name in value) {
      if (name.length > LONGEST_NAME || left.length > MOST_CHECKED) return true
      left.push((value as Record<string, unknown>)[name])
    }
  }
  return false
}
