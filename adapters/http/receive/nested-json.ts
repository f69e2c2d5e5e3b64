// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/**
 * Reads JSON inside a string, such as a form field `payload={…}` or a body that was encoded twice. A stranger's message may be such JSON too. Its text
 * counts, because the whole message would count as the text otherwise. Its sender and app are only compared with those given outside.
 */
import { senderKey } from '../../../domain/banks/directory.ts'
import { hasDuplicateKey } from './duplicate-keys.ts'
import type { Found } from './found.ts'
import { sameName } from './field-names.ts'

/** In characters. Notifications are shorter. */
const LONGEST = 64 * 1024

/** @returns null unless the text is one JSON object in which no key occurs twice */
const objectIn = (text: string): object | null => {
  if (!text.startsWith('{') || text.length > LONGEST) return null
  try {
    const value = JSON.parse(text) as object
    return hasDuplicateKey(text, sameName) ? null : value
  } catch {
    return null
  }
}

const isOther = (inner: string | undefined, given: string | undefined, keyOf: (name: string) => string): boolean =>
  inner !== undefined && (given === undefined || keyOf(inner) !== keyOf(given))

/** @param fieldsOf  finds the fields of an object */
export const withNestedJson = (found: Found, fieldsOf: (value: object) => Found): Found => {
  const value = objectIn(found.incoming.text)
  if (value === null) return found
  const { incoming: inner, stamp, hasTwoNames, hasNoText } = fieldsOf(value)
  if (hasTwoNames || hasNoText || inner.text === '') return found
  const incoming = { ...found.incoming, text: inner.text }
  if (isOther(inner.sender, incoming.sender, senderKey)) incoming.sender = ''
  if (isOther(inner.package, incoming.package, (name) => name)) incoming.package = ''
  return { ...found, incoming, stamp: found.stamp ?? stamp }
}
