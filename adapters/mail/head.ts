/**
 * Splits the head of a mail without the mail parser. The parser reads every address in it, which costs up to a millisecond
 * per kilobyte. Here a head costs only one pass over its bytes.
 */

/** Bytes. More than mail servers accept (Postfix: 100 KB). The rest of a longer head is not read. */
const HEAD_BYTES = 128 * 1024
/** Characters. Longer headers are not passed to the mail parser. */
const LONGEST = 8 * 1024

/** The headers that the mail parser needs for the texts. */
const FOR_PARSER = /^(?:subject|message-id|mime-version|content-[a-z-]+)$/

export interface HeaderLine {
  /** In lower case. */
  name: string
  /** Folded as received; each byte is one character (latin1). */
  value: string
}

export interface Head {
  /** In the original order. */
  lines: readonly HeaderLine[]
  /** The same mail with only those headers that its texts depend on. */
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
