/** From bytes to text, whatever the sender says about them. */

/** What no database column can hold: NUL characters go, half surrogate pairs become replacement characters. */
export const storable = (text: string): string => {
  if (!UNSTORABLE.test(text)) return text
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')
}
const UNSTORABLE = /[\u0000\ud800-\udfff]/

const utf8 = new TextDecoder('utf-8', { fatal: true })

const named = (charset = 'utf-8') => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder('utf-8')
  }
}

/**
 * UTF-8 wherever the bytes are UTF-8, else what a byte order mark or the content type names, else UTF-8 with its faults
 * replaced. Byte order marks are taken off.
 */
export const textOf = (bytes: Buffer, contentType = ''): string => {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    const [, charset] = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType) ?? []
    return named(charset).decode(bytes)
  }
}
