/** From bytes to text, whatever the sender says about them. */
import { charsetOf, decoderOf } from './charset.ts'

/** What no database column can hold: NUL characters go, half surrogate pairs become replacement characters. */
export const storable = (text: string): string => {
  if (!UNSTORABLE.test(text)) return text
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')
}
const UNSTORABLE = /[\u0000\ud800-\udfff]/

const utf8 = decoderOf('utf-8', { fatal: true })

/**
 * UTF-8 wherever the bytes are UTF-8, else UTF-16 where a byte order mark or the content type names it, else UTF-8 with its faults
 * replaced. Byte order marks are taken off.
 */
export const textOf = (bytes: Buffer, contentType = ''): string => {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return decoderOf('utf-16le').decode(bytes)
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return decoderOf('utf-16be').decode(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    return decoderOf(charsetOf(contentType)).decode(bytes)
  }
}
