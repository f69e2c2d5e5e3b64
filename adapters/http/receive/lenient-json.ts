/**
 * JSON as forwarder apps write it: templates put texts in without escaping them, so line breaks, tabs and quotes of a bank's
 * text stand raw inside strings, and placeholders that nothing filled stand where a number was meant.
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

/** Longer than any notification; the search below is quadratic in what it is given. */
const SALVAGE_LIMIT = 8 * 1024

/** `"name": "…"` up to the quote that the next name or the end follows: quotes inside a text end nothing. */
const MEMBER = /"([\w.-]{1,40})"\s{0,8}:\s{0,8}"([\s\S]*?)"\s{0,8}(?=,\s{0,8}"[\w.-]{1,40}"\s{0,8}:|\}\s*$)/g

const salvage = (json: string): Record<string, string> | undefined => {
  if (json.length > SALVAGE_LIMIT) return undefined
  const members = [...json.matchAll(MEMBER)].map(([, name, value]) => [name!, unescaped(value!)] as const)
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

export interface LenientJson {
  value: unknown
  /** False where the text had to be mended before it could be read. */
  exact: boolean
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

/** @returns undefined where not even a mended text can be read */
export const parseLeniently = (json: string): LenientJson | undefined => {
  const value = parsed(json)
  if (value !== undefined) return { value, exact: true }
  if (json.length > MENDED_LIMIT) return undefined
  const mended = parsed(escapeControls(json)) ?? salvage(json.trim())
  return mended === undefined ? undefined : { value: mended, exact: false }
}
