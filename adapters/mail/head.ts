/**
 * The head of a mail, taken apart without the mail parser: that one reads every address in it, which costs up to a millisecond
 * for each kilobyte. Here a head costs no more than a look through its bytes.
 */

/** More than mail servers let through (Postfix: 100 KB). Bytes; the rest of such a mail is not read. */
const HEAD_BYTES = 128 * 1024
/** Of a header that the mail parser gets. Characters. */
const LONGEST = 8 * 1024

/** What the mail parser needs for the texts. */
const FOR_PARSER = /^(?:subject|date|message-id|mime-version|content-[a-z-]+)$/

export interface HeaderLine {
  /** In lower case. */
  name: string
  /** Folded as it came, each byte as one character (latin1). */
  value: string
}

export interface Head {
  /** As they stand. */
  lines: readonly HeaderLine[]
  /** The same mail with those headers only that its texts depend on. */
  rest: Buffer
}

const lineOf = (text: string): HeaderLine[] => {
  const [, name] = /^([!-9;-~]+)[ \t]*:/.exec(text) ?? []
  return name === undefined ? [] : [{ name: name.toLowerCase(), value: text.slice(text.indexOf(':') + 1) }]
}

export const headOf = (source: Buffer): Head => {
  const start = source.toString('latin1', 0, HEAD_BYTES)
  const end = /(?:^|\r?\n)\r?\n/.exec(start)
  const isWhole = end !== null || source.length <= HEAD_BYTES
  const head = start.slice(0, end?.index ?? start.length)
  const lines = head.split(/\r?\n(?![ \t])/).flatMap(lineOf)
  // The last one may be truncated.
  if (!isWhole) lines.pop()
  const kept = lines.filter(({ name, value }) => FOR_PARSER.test(name) && value.length <= LONGEST)
  const body = end ? source.subarray(end.index + end[0].length) : Buffer.alloc(0)
  return {
    lines,
    rest: Buffer.concat([
      Buffer.from(kept.map(({ name, value }) => `${name}:${value}\r\n`).join('') + '\r\n', 'latin1'),
      body,
    ]),
  }
}
