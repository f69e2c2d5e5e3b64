/** Bodies are at most 4 KB (section 6): what is longer loses the ends of its free texts, and stays valid JSON. */

/** Bytes of UTF-8. */
export const MOST_BYTES = 4096

export type Payload = Record<string, string | number | boolean | null>

const bytesOf = (payload: Payload): number => Buffer.byteLength(JSON.stringify(payload))

/** The payload with as many of a field's characters as fit; whole characters only, never half a surrogate pair. */
const withAsMuchAsFits = (payload: Payload, field: string): Payload => {
  const characters = [...String(payload[field])]
  let fits = 0
  let tooMany = characters.length + 1
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (bytesOf({ ...payload, [field]: characters.slice(0, middle).join('') }) <= MOST_BYTES) fits = middle
    else tooMany = middle
  }
  return { ...payload, [field]: characters.slice(0, fits).join('') }
}

/**
 * @param shortenable  fields that may lose their end, the first to lose it first
 * @returns the payload itself where it fits, else one with `description_truncated: true`
 */
export const shorten = (payload: Payload, shortenable: readonly string[]): Payload => {
  if (bytesOf(payload) <= MOST_BYTES) return payload
  let shorter: Payload = { ...payload, description_truncated: true }
  for (const field of shortenable) {
    if (bytesOf(shorter) <= MOST_BYTES) break
    if (typeof shorter[field] === 'string') shorter = withAsMuchAsFits(shorter, field)
  }
  return shorter
}
