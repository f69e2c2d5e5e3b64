// Tests: tests/integration/webhook-sender/answer-text.test.ts
/**
 * The text of an endpoint's answer, as its owner reads it. Calls ask for no compression (`Accept-Encoding: identity`). An answer that is
 * compressed anyway is never unpacked, because a small one can become very large. Its text says that it is compressed.
 */

/** The most bytes of an answer that are read and kept. */
export const MOST_READ = 4096

/** The most bytes of a redirect's target that are kept. */
const MOST_TARGET = 1_000

export type AnswerHeaders = Record<string, string | string[] | undefined>

const header = (headers: AnswerHeaders, name: string): string => String(headers[name] ?? '').trim()

const utf8 = new TextDecoder()

const readUtf8 = (bytes: Buffer): string => {
  const text = utf8.decode(bytes, { stream: true })
  // Discards the rest of a truncated character, so that it is not added to the next text.
  utf8.decode()
  return text
}

/** The charset that a byte order mark or the content type names. */
const charsetOf = (bytes: Buffer, type: string): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(type)?.[1]?.toLowerCase() ?? 'utf-8'
}

const decoded = (bytes: Buffer, charset: string): string => {
  if (charset === 'utf-8') return readUtf8(bytes)
  try {
    return new TextDecoder(charset).decode(bytes, { stream: true })
  } catch {
    // An unknown name.
    return readUtf8(bytes)
  }
}

const bodyText = (bytes: Buffer, headers: AnswerHeaders): string => {
  const encoding = header(headers, 'content-encoding')
  if (bytes.length > 0 && !/^(identity)?$/i.test(encoding))
    return `The answer is compressed (${encoding.slice(0, 40)}), so its text is not shown.`
  const part = bytes.subarray(0, MOST_READ)
  return decoded(part, charsetOf(part, header(headers, 'content-type').slice(0, 1_000))).replaceAll('\0', '\ufffd')
}

/**
 * @param bytes  of the answer's body, as far as it came
 * @returns at most 4 KB of it, cut between characters. NUL is replaced, as Postgres texts cannot contain it. The text of a redirect begins
 * with its target, which the owner must enter and most bodies do not name.
 */
export const answerText = (status: number, bytes: Buffer, headers: AnswerHeaders): string => {
  const location = status >= 300 && status < 400 ? header(headers, 'location') : ''
  if (!location) return bodyText(bytes, headers)
  // undici decodes headers as Latin-1. Servers send UTF-8.
  const target = readUtf8(Buffer.from(location, 'latin1').subarray(0, MOST_TARGET))
  const beginning = `Location: ${target}\n\n`
  const left = MOST_READ - Buffer.byteLength(beginning)
  return `${beginning}${bodyText(bytes.subarray(0, left), headers)}`.trimEnd()
}
