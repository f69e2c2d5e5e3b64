// Tests: tests/unit/domain/mail-trust/mail-trust.test.ts
/**
 * The Authentication-Results header (RFC 8601, section 2.2). The mailbox's provider writes its check of a mail's signatures into
 * it. Providers also repeat texts of the sender in it, some of them unescaped. So this parser is stricter than the RFC: one
 * doubtful part makes the whole header prove nothing. These parts are doubtful:
 *
 * - a comment that touches a word, and a comment with a quote, or with text that looks like a result (except Gmail's summary of ARC);
 * - a backslash, a control character, a byte that is not ASCII, a line break that is not folding;
 * - a quoted value, except of `reason` and `header.b` (OpenDKIM quotes it), and one whole address in `smtp.mailfrom`;
 * - a method (other than DKIM) or a property that occurs twice.
 *
 * The cost is linear in the header's length.
 */

/** One method's result with its properties, such as `dkim=pass header.d=acb.com.vn`. */
export interface MethodResult {
  method: string
  result: string
  /** Keys are `ptype.property` in lower case, without `reason`. Values are as written, without quotes. */
  properties: ReadonlyMap<string, string>
}

export interface AuthenticationResults {
  /** The writer of the header, in lower case. */
  authserv_id: string
  results: readonly MethodResult[]
}

/** Limits above what any provider writes: characters, and results. */
export const LONGEST = 16 * 1024
const MOST_RESULTS = 100

type Token = { kind: 'word' | 'quoted'; text: string; isApart: boolean } | { kind: ';' | '='; isApart: boolean }

const SPACE = /[ \t]+/y
/** Printable ASCII without space, comma, and characters with a meaning of their own here. */
const WORD = /[!#$%&'*+\-./0-9:?@A-Z[\]^_`a-z{|}~]+/y
const QUOTED = /"[^"]*"/y
const SEPARATOR = /[;=]/y

/** Text of a comment or quoted string that looks like a result. It may be the sender's, or a result that was swallowed. */
const LIKE_RESULT = /\bdkim\s*=/i
const LIKE_PROPERTY = /\b(?:header|smtp|policy|body)\s*\.\s*[a-z]/i

/**
 * Gmail's summary of an ARC chain, as mails have that went through Microsoft 365:
 * `(i=1 spf=pass spfdomain=bank.vn dkim=pass dkdomain=bank.vn dmarc=pass fromdomain=bank.vn)`. It has no room for a swallowed result.
 */
const ARC_SUMMARY =
  /^\(i=\d{1,3}(?:[ \t]+(?:(?:spf|dkim|dmarc)=[a-z]{1,20}|(?:spf|dk|from)domain=[a-z0-9._-]{1,255})){1,6}\)$/i
const isDoubtfulComment = (comment: string): boolean =>
  comment.includes('"') || LIKE_PROPERTY.test(comment) || (LIKE_RESULT.test(comment) && !ARC_SUMMARY.test(comment))

/** Undoes folding. @returns null if the header contains a forbidden character */
const unfolded = (header: string): string | null => {
  const text = header.replace(/\r?\n$/, '').replace(/\r?\n(?=[ \t])/g, '')
  return /^[\t\x20-\x7e]*$/.test(text) && !text.includes('\\') ? text : null
}

/** Comments nest. @returns the end of the comment. Null if it is not closed. */
const endOfComment = (text: string, start: number): number | null => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at + 1
  }
  return null
}

const standsApart = (text: string, start: number, end: number): boolean =>
  (start === 0 || /[ \t;]/.test(text[start - 1]!)) && (end === text.length || /[ \t;]/.test(text[end]!))

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

/** @returns null if the header contains anything that is not allowed */
const tokensOf = (text: string): Token[] | null => {
  const tokens: Token[] = []
  let at = 0
  let isApart = true
  while (at < text.length) {
    const space = matchAt(SPACE, text, at)
    if (space !== null) {
      at += space.length
      isApart = true
      continue
    }
    if (text[at] === '(') {
      const end = endOfComment(text, at)
      if (end === null || !standsApart(text, at, end)) return null
      if (isDoubtfulComment(text.slice(at, end))) return null
      at = end
      continue
    }
    const quoted = matchAt(QUOTED, text, at)
    const separator = matchAt(SEPARATOR, text, at)
    const token = quoted ?? separator ?? matchAt(WORD, text, at)
    if (token === null) return null
    if (quoted !== null) tokens.push({ kind: 'quoted', text: quoted.slice(1, -1), isApart })
    else if (separator !== null) tokens.push({ kind: separator as ';' | '=', isApart })
    else tokens.push({ kind: 'word', text: token, isApart })
    at += token.length
    isApart = false
  }
  return tokens
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

const ID = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i
const METHOD = /^([a-z][a-z0-9-]*)(?:\/1)?$/i
const KEYWORD = /^[a-z][a-z0-9-]*$/i
/** The types of RFC 8601, and a provider's own names. */
const PROPERTY = /^(?:(?:smtp|header|body|policy)\.[a-z][a-z0-9_-]*|x-[a-z0-9-]+|reason)$/
/** Properties of a DKIM signature. Any other property in its result belongs to another method. */
const OF_DKIM = /^(?:header\.[abdis]|policy\..*|x-.*|reason)$/
const BASE64 = /^[a-z0-9+/]+={0,2}$/i
/** An address that Gmail quotes because of a `=` in it, as addresses for bounces have: `bounces+42-shop=gmail.com@bank.vn`. */
const QUOTED_ADDRESS = /^[a-z0-9._+=-]{1,255}@[a-z0-9.-]{1,255}$/i

const wordOf = (token: Token | undefined): string | null => (token?.kind === 'word' ? token.text : null)

const isQuotedAddress = (token: Token): boolean => token.kind === 'quoted' && QUOTED_ADDRESS.test(token.text)

const isSignature = (tokens: readonly Token[], at: number): boolean =>
  tokens[at - 1]?.kind === '=' && wordOf(tokens[at - 2])?.toLowerCase() === 'header.b'

/**
 * An address is a sender's text. If it could end its quotes, the rest of it would stand outside of them, up to another quoted value
 * that the provider's own quote ends. So beside a quoted address there must be no quoted value but signatures.
 */
const isAmbiguous = (tokens: readonly Token[]): boolean =>
  tokens.some(isQuotedAddress) &&
  tokens.filter(({ kind }, at) => kind === 'quoted' && !isSignature(tokens, at)).length > 1

const mayBeQuoted = (name: string, text: string): boolean => {
  if (name === 'reason') return !LIKE_PROPERTY.test(text)
  if (name === 'smtp.mailfrom') return QUOTED_ADDRESS.test(text)
  return name === 'header.b' && BASE64.test(text)
}

/** A value, and the position of the next property. A value is one quoted string, or words and `=` that touch each other. */
const valueAt = (name: string, section: readonly Token[], start: number): { text: string; end: number } | null => {
  const first = section[start]
  if (first?.kind === 'quoted') {
    return mayBeQuoted(name, first.text) ? { text: first.text, end: start + 1 } : null
  }
  let text = wordOf(first)
  if (text === null) return null
  let end = start + 1
  for (let token = section[end]; token && !token.isApart; token = section[++end]) {
    if (token.kind === 'quoted') return null
    text += 'text' in token ? token.text : token.kind
  }
  return { text, end }
}

/** `method[/1]=result [reason="…"] [ptype.property=value …]` */
const resultIn = (section: readonly Token[]): MethodResult | null => {
  const method = METHOD.exec(wordOf(section[0]) ?? '')?.[1]?.toLowerCase()
  const result = wordOf(section[2])?.toLowerCase() ?? ''
  if (method === undefined || section[1]?.kind !== '=' || !KEYWORD.test(result)) return null
  const properties = new Map<string, string>()
  for (let at = 3; at < section.length;) {
    const token = section[at]!
    const name = wordOf(token)?.toLowerCase() ?? ''
    if (!token.isApart || section[at + 1]?.kind !== '=' || !PROPERTY.test(name)) return null
    const value = valueAt(name, section, at + 2)
    if (!value || properties.has(name) || (method === 'dkim' && !OF_DKIM.test(name))) return null
    properties.set(name, value.text)
    at = value.end
  }
  properties.delete('reason')
  return { method, result, properties }
}

/**
 * The writer of this header, even if the rest is malformed. A header of the provider that proves nothing must not be skipped in
 * favour of a header of the sender below it.
 *
 * @returns the authserv-id in lower case. Null if it is doubtful.
 */
export const authservIdOf = (header: string): string | null => {
  const id = /^\s*([^\s;()"=]+)(?=[\s;]|$)/.exec(header)?.[1] ?? ''
  return ID.test(id) ? id.toLowerCase() : null
}

/** `authserv-id [1]` */
const idIn = (identity: readonly Token[]): string | null => {
  const id = wordOf(identity[0])
  if (id === null || !ID.test(id) || identity.length > 2) return null
  return identity.length === 2 && wordOf(identity[1]) !== '1' ? null : id.toLowerCase()
}

/** `none`: nothing was checked. */
const isNone = ([section, ...others]: readonly Token[][]): boolean =>
  section?.length === 1 && others.length === 0 && wordOf(section[0])?.toLowerCase() === 'none'

/** @returns null if one is malformed, or if a method other than DKIM has two */
const resultsIn = (sections: readonly Token[][]): MethodResult[] | null => {
  const results: MethodResult[] = []
  const methods = new Set<string>()
  for (const section of sections) {
    const result = resultIn(section)
    if (!result || (result.method !== 'dkim' && methods.has(result.method))) return null
    methods.add(result.method)
    results.push(result)
  }
  return results
}

/**
 * @param header  the header's value, folded or not
 * @returns null if it is doubtful
 */
export const parseAuthenticationResults = (header: string): AuthenticationResults | null => {
  if (header.length > LONGEST) return null
  const text = unfolded(header)
  const tokens = text === null ? null : tokensOf(text)
  if (!tokens || isAmbiguous(tokens)) return null
  const [identity = [], ...sections] = sectionsOf(tokens)
  const authserv_id = idIn(identity)
  if (authserv_id === null) return null
  // A semicolon may end the header.
  const given = sections.filter((section, n) => section.length > 0 || n < sections.length - 1)
  if (given.length > MOST_RESULTS) return null
  const results = isNone(given) ? [] : resultsIn(given)
  return results && { authserv_id, results }
}
