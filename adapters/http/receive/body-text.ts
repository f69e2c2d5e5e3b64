/** From bytes to text, whatever the sender says about them. */

/** What no database column can hold: NUL characters go, half surrogate pairs become replacement characters. */
export const storable = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd')

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

/** The longest beginning of a text that has at most so many bytes of UTF-8; no character is cut in two. */
export const cutToBytes = (text: string, most: number): string => {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= most) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = most
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
