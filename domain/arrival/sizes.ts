/** How much of a notification is read and stored (decisions, "Limits of sizes"). Sizes are bytes of UTF-8. */

/** A text longer than this is cut for reading. */
export const TEXT_BYTES = 32 * 1024
/** The strings inside a longer body are cut, so that the stored body stays valid JSON. */
export const RAW_BYTES = 64 * 1024

/** A sender, package, title or subject longer than this is cut for reading. */
export const NAME_BYTES = 1024

/** Marks the end of a truncated string. */
const CUT = '…'

/** The beginning of a text that fits into so many bytes. It never ends inside a character. */
export const cutToBytes = (text: string, most: number): string => {
  if (text.length * 3 <= most || (text.length <= most && Buffer.byteLength(text) <= most)) return text
  // Each character has at least one byte.
  const bytes = Buffer.from(text.slice(0, most))
  let end = most
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Deeper than the body of any app. A hostile body must not exhaust the stack. */
const DEEPEST = 50

/** The size of a string in JSON in bytes. For a string above the stored limit, the result is only a lower bound. */
const bytesInJson = (text: string): number =>
  text.length > RAW_BYTES ? RAW_BYTES + 1 : Buffer.byteLength(JSON.stringify(text))

/** The longest string anywhere inside, in bytes of JSON. */
const longestIn = (value: unknown, depth = 0): number => {
  if (typeof value === 'string') return bytesInJson(value)
  if (value === null || typeof value !== 'object' || depth > DEEPEST) return 0
  return Object.values(value).reduce<number>((longest, each) => Math.max(longest, longestIn(each, depth + 1)), 0)
}

const withStringsCut = (value: unknown, most: number, depth = 0): unknown => {
  if (typeof value === 'string') {
    if (bytesInJson(value) <= most) return value
    return cutToBytes(value, Math.floor(most / 2)) + CUT
  }
  if (value === null || typeof value !== 'object') return value
  if (depth > DEEPEST) return null
  if (Array.isArray(value)) return value.map((each) => withStringsCut(each, most, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withStringsCut(each, most, depth + 1)]))
}

/** Below this length, strings are not cut further. A body with too many small strings is cut as a whole. */
const SHORTEST = 64

/**
 * @param raw  the received body. JSON stays valid JSON. Of any other text the beginning is kept.
 * @returns at most 64 KB
 */
export const keptRaw = (raw: string): string => {
  if (raw.length * 3 <= RAW_BYTES || Buffer.byteLength(raw) <= RAW_BYTES) return raw
  let body: unknown
  try {
    body = JSON.parse(raw)
  } catch {
    return cutToBytes(raw, RAW_BYTES)
  }
  const keptWith = (most: number): string | null => {
    const kept = JSON.stringify(withStringsCut(body, most))
    return Buffer.byteLength(kept) <= RAW_BYTES ? kept : null
  }
  // If the shortest strings do not fit, no longer ones do, so no search is needed.
  const least = keptWith(SHORTEST)
  if (least === null) return JSON.stringify({ cut: cutToBytes(raw, RAW_BYTES / 4) })
  for (let most = Math.min(longestIn(body), RAW_BYTES); most > SHORTEST; most = Math.floor(most / 2)) {
    const kept = keptWith(most)
    if (kept !== null) return kept
  }
  return least
}
