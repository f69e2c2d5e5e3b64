/**
 * How much there is in a JSON text, found before anything is made of it: a value takes up to fifty times its bytes in memory, and each that a
 * schema refuses costs an issue.
 */

const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Values in one body. A batch of 200 notifications with all their fields has a tenth of them. */
const MOST_VALUES = 50_000

/**
 * Whether a JSON text has more values, or deeper ones, than any request needs. One look at each character, until there are too many; the
 * inside of strings is skipped. The answer for a text that is no JSON means nothing.
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

/** Index of the quote that ends a string, from the first character in it. */
const endOfString = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end
    while (before > from && json.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return json.length
}

/** Of what a management endpoint takes: more values, longer texts or names than any schema allows. */
const MOST_CHECKED = 2_000
const LONGEST_TEXT = 100_000
const LONGEST_NAME = 1_000

/**
 * Whether a parsed body has more than any schema of a management endpoint takes, so that checking it would cost more than its refusal is
 * worth. Looks at no more than 2,000 values.
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
