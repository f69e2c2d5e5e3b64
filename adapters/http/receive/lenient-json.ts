/**
 * JSON as forwarder apps write it. Templates put texts in without escaping them, so line breaks, tabs and quotes of a bank's text stand
 * raw inside strings, and unfilled placeholders stand where a number was meant. Such JSON is read only to find the text that is kept: its
 * fields may have been named by the text (decisions, "Trust", T2).
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20

/**
 * Inside strings of a JSON text, raw control characters are written as their escapes. By hand, one look at each character:
 * a pattern that finds strings would look at some bodies for hours.
 */
const escapeControls = (json: string): string => {
  const pieces: string[] = []
  let inString = false
  let taken = 0
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === QUOTE) inString = !inString
    else if (inString && code === BACKSLASH) index++
    else if (inString && code < FIRST_PRINTABLE) {
      pieces.push(json.slice(taken, index), `\\u${code.toString(16).padStart(4, '0')}`)
      taken = index + 1
    }
  }
  return pieces.join('') + json.slice(taken)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

const unescaped = (raw: string): string =>
  raw.replace(/\\(?:u([0-9a-f]{4})|(["\\/nrt]))/gi, (_, code: string | undefined, letter: string) =>
    code === undefined ? (ESCAPES[letter.toLowerCase()] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** Characters of JSON that is mended: longer than any notification. */
const MENDED_LIMIT = 64 * 1024

/** Characters of a body that are searched for its members: longer than any notification. */
const SALVAGE_LIMIT = 64 * 1024

/** A member's name, and the quote where its value is a string. */
const NAME = /[{,]\s{0,8}"([\w.-]{1,40})"\s{0,8}:\s{0,8}("?)/g

/** From the end of one name to the next name or the end of the body: quotes inside a text end nothing. */
const salvage = (json: string): Record<string, string> | undefined => {
  const body = json.slice(0, SALVAGE_LIMIT)
  const names = [...body.matchAll(NAME)]
  const members: Record<string, string> = Object.create(null) as Record<string, string>
  names.forEach(([whole, name, quote], index) => {
    const { index: begin } = names[index]!
    const value = body.slice(begin + whole.length, names[index + 1]?.index ?? body.length).trimEnd()
    const isLast = index === names.length - 1
    const ended = isLast && value.endsWith('}') ? value.slice(0, -1).trimEnd() : value
    members[name!] ??= unescaped(quote === '"' && ended.endsWith('"') ? ended.slice(0, -1) : ended)
  })
  return names.length > 0 ? members : undefined
}

export interface LenientJson {
  /** Undefined where not even a mended text can be read. */
  value: unknown
  /** False where the text is no JSON as it stands. */
  exact: boolean
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

export const parseLeniently = (json: string): LenientJson => {
  const value = parsed(json)
  if (value !== undefined) return { value, exact: true }
  const mended = json.length > MENDED_LIMIT ? undefined : parsed(escapeControls(json))
  return { value: mended ?? salvage(json), exact: false }
}
