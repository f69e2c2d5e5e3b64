// Tests: tests/unit/adapters/http/receive/duplicate-keys.test.ts
/** The characters that give a JSON text its structure, and its strings. */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

/** Index of the quote that ends the string whose first character is at `from`; the length of the text if there is none. */
export const endOfString = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end
    while (before > from && json.charCodeAt(before - 1) === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return json.length
}
