// Tests: tests/integration/http/receive.test.ts
/** Charsets of bodies: only UTF-8 and UTF-16 (decisions, "Sizes"). Decoding others costs up to a hundred times more. */
import { TextDecoder } from 'node:util'

export type Charset = 'utf-8' | 'utf-16le' | 'utf-16be' | 'other'

/** Charset names in a content type, in lower case. ASCII is read as UTF-8. */
const NAMED: Readonly<Record<string, Charset>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
}

/** Only this many characters of a content type are searched. */
const LOOKED_AT = 1_000

/** The charset that a content type names; UTF-8 if it names none. */
export const charsetOf = (contentType: string): Charset => {
  const [, name] = /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(contentType.slice(0, LOOKED_AT)) ?? []
  if (name === undefined) return 'utf-8'
  const lower = name.toLowerCase()
  return Object.hasOwn(NAMED, lower) ? NAMED[lower]! : 'other'
}

/** Any other charset is read as UTF-8. Byte order marks are removed. @param fatal  the decoder throws on invalid bytes */
export const decoderOf = (charset: Charset, { fatal = false } = {}): TextDecoder =>
  new TextDecoder(charset === 'other' ? 'utf-8' : charset, { fatal })
