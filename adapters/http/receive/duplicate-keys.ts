/**
 * Finds a key that occurs twice in one object of a JSON text. `JSON.parse` silently keeps the last of the two. A text that was put into a
 * template without escaping could therefore replace a field that precedes it (decisions, "Trust", T2).
 *
 * Makes one pass over the characters of JSON that `JSON.parse` has accepted. Time: linear in the characters. Memory: the keys of the open
 * objects, at most `KEYS` of each.
 */
import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, endOfString, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-text.ts'

/** Objects nested deeper than this are skipped: no field is ever taken from them. */
const DEPTH = 8
/** Keys remembered per object. Later keys are compared with these but not with each other, as no field is taken from them. */
const KEYS = 500

const keyOf = (raw: string): string => (raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw)

/** The keys of an open object: a set, the only key, or undefined if it has none yet; null for a list. */
type Keys = Set<string> | string | null | undefined

const withKey = (keys: Keys, name: string): Keys => {
  if (!(keys instanceof Set)) return typeof keys === 'string' ? new Set([keys, name]) : name
  return keys.size < KEYS ? keys.add(name) : keys
}

/**
 * @param json  valid JSON
 * @param sameName  receives the unescaped key; keys that it maps to the same name count as the same key
 */
export const hasDuplicateKey = (json: string, sameName: (name: string) => string = (name) => name): boolean => {
  const open: Keys[] = []
  let depth = 0
  let isKey = false
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === QUOTE) {
      const end = endOfString(json, index + 1)
      if (isKey && depth <= DEPTH) {
        const name = sameName(keyOf(json.slice(index + 1, end)))
        const keys = open[depth - 1]
        if (keys instanceof Set ? keys.has(name) : keys === name) return true
        open[depth - 1] = withKey(keys, name)
      }
      index = end
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      isKey = code === OPEN_OBJECT
      if (depth < DEPTH) open[depth] = isKey ? undefined : null
      depth++
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth--
      isKey = false
    } else if (code === COLON) isKey = false
    else if (code === COMMA) isKey = depth > 0 && open[depth - 1] !== null
  }
  return false
}
