/** How many values a JSON text holds, counted before it is parsed: a parsed value takes up to fifty times its bytes in memory. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/** Values of one body: a batch of 200 notifications with all their fields has a tenth of them. */
const MOST_VALUES = 50_000

/** Shorter bodies cannot hold too many. */
const SHORT = MOST_VALUES

/** Whether a JSON text, as bytes of UTF-8, holds more values than any request needs. One look at each byte, until there are too many. */
export const hasTooManyValues = (json: Uint8Array): boolean => {
  if (json.length <= SHORT) return false
  let values = 0
  let inString = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]
    if (byte === QUOTE) inString = !inString
    else if (inString) {
      if (byte === BACKSLASH) index++
    } else if ((byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) && ++values > MOST_VALUES) return true
  }
  return false
}
