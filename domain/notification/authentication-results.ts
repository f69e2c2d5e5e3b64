/**
 * The Authentication-Results header (RFC 8601, section 2.2), in which a mailbox's provider writes what it found of a mail's
 * signatures. Strict: senders choose parts of what is quoted in it, so a header that is not well formed says nothing at all.
 */

/** One method's result with its properties, such as `dkim=pass header.d=acb.com.vn`. */
export interface MethodResult {
  method: string
  result: string
  /** By `ptype.property`, in lower case; values as they stand, quotes undone. */
  properties: ReadonlyMap<string, string>
}

export interface AuthenticationResults {
  /** Who found this, in lower case. */
  authserv_id: string
  results: readonly MethodResult[]
}

/** More than any provider writes. Characters, and results. */
const LONGEST = 16 * 1024
const MOST_RESULTS = 100

type Token = { kind: 'word' | 'quoted'; text: string } | { kind: ';' | '=' | '/' }

/** Of the characters that end a word only these mean something here. */
const SEPARATORS = new Set([';', '=', '/'])
/** What stands in a word though RFC 2045 calls it special: providers write addresses and base64 without quotes. */
const IN_WORD = /[^\s()<>,;\\"=/\p{Cc}]/u

/** @returns null for what no such header may contain: an open comment or quote, a stray character */
const tokensOf = (header: string): Token[] | null => {
  const tokens: Token[] = []
  let at = 0
  while (at < header.length) {
    const character = header[at]!
    if (/[ \t\r\n]/.test(character)) at++
    else if (character === '(') {
      const end = endOfComment(header, at)
      if (end === null) return null
      at = end
    } else if (character === '"') {
      const quoted = quotedAt(header, at)
      if (!quoted) return null
      tokens.push({ kind: 'quoted', text: quoted.text })
      at = quoted.end
    } else if (SEPARATORS.has(character)) {
      tokens.push({ kind: character as ';' | '=' | '/' })
      at++
    } else {
      const start = at
      while (at < header.length && IN_WORD.test(header[at]!)) at++
      if (at === start) return null
      tokens.push({ kind: 'word', text: header.slice(start, at) })
    }
  }
  return tokens
}

/** Comments nest. */
const endOfComment = (header: string, start: number): number | null => {
  let depth = 0
  for (let at = start; at < header.length; at++) {
    const character = header[at]
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at + 1
  }
  return null
}

const quotedAt = (header: string, start: number): { text: string; end: number } | null => {
  let text = ''
  for (let at = start + 1; at < header.length; at++) {
    const character = header[at]!
    if (character === '"') return { text, end: at + 1 }
    if (character === '\\') text += header[++at] ?? ''
    else text += character
  }
  return null
}

/** The tokens between semicolons. */
const sectionsOf = (tokens: readonly Token[]): Token[][] => {
  const sections: Token[][] = [[]]
  for (const token of tokens) {
    if (token.kind === ';') sections.push([])
    else sections.at(-1)!.push(token)
  }
  return sections
}

const KEYWORD = /^[a-z][a-z0-9-]*$/i
const PROPERTY = /^[a-z][a-z0-9-]*\.[a-z][a-z0-9_-]*$/i

const wordOf = (token: Token | undefined): string | null => (token?.kind === 'word' ? token.text : null)

/** `method[/version]=result [reason="…"] [ptype.property=value …]` */
const resultIn = (section: readonly Token[]): MethodResult | null => {
  const method = wordOf(section[0])
  let at = 1
  if (section[at]?.kind === '/') {
    if (!/^\d+$/.test(wordOf(section[at + 1]) ?? '')) return null
    at += 2
  }
  const result = wordOf(section[at + 1])
  if (method === null || result === null || section[at]?.kind !== '=') return null
  if (!KEYWORD.test(method) || !KEYWORD.test(result)) return null
  at += 2
  const properties = new Map<string, string>()
  while (at < section.length) {
    const name = wordOf(section[at])?.toLowerCase() ?? ''
    if (section[at + 1]?.kind !== '=' || (name !== 'reason' && !PROPERTY.test(name))) return null
    const value = valueAt(section, at + 2)
    // The same said twice in one result: which of the two would count is anybody's guess.
    if (!value || (name !== 'reason' && properties.has(name))) return null
    if (name !== 'reason') properties.set(name, value.text)
    at = value.end
  }
  return { method: method.toLowerCase(), result: result.toLowerCase(), properties }
}

/** A quoted string or a word; base64 in a word may hold `/` and end in `=`. */
const valueAt = (section: readonly Token[], start: number): { text: string; end: number } | null => {
  const [first] = section.slice(start, start + 1)
  if (first?.kind === 'quoted') {
    const rest = section[start + 1]
    // `"local part"@domain`
    const domain = wordOf(rest)
    return domain?.startsWith('@')
      ? { text: first.text + domain, end: start + 2 }
      : { text: first.text, end: start + 1 }
  }
  let text = ''
  let at = start
  while (at < section.length) {
    const token = section[at]!
    if (token.kind === 'quoted') break
    if (token.kind === 'word') {
      // A word behind a word is the next property.
      if (at > start && section[at - 1]!.kind === 'word') break
      text += token.text
    } else if (token.kind === '/' || (token.kind === '=' && at > start)) text += token.kind
    else return null
    at++
  }
  return text === '' ? null : { text, end: at }
}

/**
 * @param header  the header's value, folded or not
 * @returns null where it is not well formed
 */
export const parseAuthenticationResults = (header: string): AuthenticationResults | null => {
  if (header.length > LONGEST) return null
  const tokens = tokensOf(header)
  if (!tokens) return null
  const [identity = [], ...sections] = sectionsOf(tokens)
  const [name, version, ...more] = identity
  if (!name || more.length > 0 || !('text' in name) || name.text === '') return null
  if (version !== undefined && wordOf(version) !== '1') return null
  const results: MethodResult[] = []
  const said = sections.filter((section, n) => section.length > 0 || n < sections.length - 1)
  if (said.length > MOST_RESULTS) return null
  for (const section of said) {
    // `none`: nothing was looked at.
    if (said.length === 1 && section.length === 1 && wordOf(section[0])?.toLowerCase() === 'none') break
    const result = resultIn(section)
    if (!result) return null
    results.push(result)
  }
  return { authserv_id: name.text.toLowerCase(), results }
}
