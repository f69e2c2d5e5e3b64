// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** Limits bodies to 4 KB (section 6). A longer body has its free texts shortened, and stays valid JSON. */

/** Bytes of UTF-8. */
const MOST_BYTES = 4096

export type Payload = Record<string, string | number | boolean | null>

/** Turns fields into the body that is sent. */
export type Former = (fields: Payload) => string

export const fitsBody = (body: string): boolean => Buffer.byteLength(body) <= MOST_BYTES

/** Cuts one text to the longest length that fits. Only whole characters, never half a surrogate pair. */
const withAsMuchAsFits = (fields: Payload, name: string, form: Former): Payload => {
  const characters = [...String(fields[name])]
  const cutTo = (length: number): Payload => ({ ...fields, [name]: characters.slice(0, length).join('') })
  let fits = 0
  let tooMany = characters.length
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (fitsBody(form(cutTo(middle)))) fits = middle
    else tooMany = middle
  }
  return cutTo(fits)
}

/** Shortens the named texts in the given order, until the body made of the fields fits. */
export const shortenUntilItFits = (fields: Payload, texts: readonly string[], form: Former): Payload => {
  let shorter = fields
  for (const name of texts) {
    if (fitsBody(form(shorter))) break
    if (typeof shorter[name] === 'string') shorter = withAsMuchAsFits(shorter, name, form)
  }
  return shorter
}

/**
 * @param texts  fields that may be shortened, in this order
 * @returns the unchanged payload if it fits, else one with `description_truncated: true`
 */
export const fittingBody = (payload: Payload, texts: readonly string[]): string => {
  const body = JSON.stringify(payload)
  if (fitsBody(body)) return body
  return JSON.stringify(shortenUntilItFits({ ...payload, description_truncated: true }, texts, JSON.stringify))
}
