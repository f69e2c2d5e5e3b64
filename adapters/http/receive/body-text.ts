// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/** Decodes a body's bytes to text, even if its content type is wrong. */
import { charsetOf, decoderOf } from './charset.ts'

/** Removes what no database column can store: deletes NUL characters and turns unpaired surrogates into replacement characters. */
export const storable = (text: string): string => {
  if (!UNSTORABLE.test(text)) return text
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')
}
const UNSTORABLE = /[\u0000\ud800-\udfff]/

const utf8 = decoderOf('utf-8', { fatal: true })

/**
 * Bytes with a UTF-16 byte order mark are decoded as UTF-16, and so are bytes with a NUL if the content type names UTF-16: such bytes may be
 * valid UTF-8. All others are decoded as UTF-8 if they are valid UTF-8, else as UTF-16 if the content type names it, else as UTF-8 with
 * replacement characters. Byte order marks are removed.
 */
export const textOf = (bytes: Buffer, contentType = ''): string => {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return decoderOf('utf-16le').decode(bytes)
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return decoderOf('utf-16be').decode(bytes)
  const charset = charsetOf(contentType)
  if (charset.startsWith('utf-16') && bytes.includes(0)) return decoderOf(charset).decode(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    return decoderOf(charset).decode(bytes)
  }
}
