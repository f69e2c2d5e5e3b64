// Tests: tests/unit/adapters/http/receive/nothing-lost.test.ts
/**
 * Reads JSON as forwarder apps write it. Templates insert texts without escaping them, so strings contain raw line breaks, tabs and quotes
 * of a bank's text, and unfilled placeholders appear in place of numbers. Such JSON is read only to find the text to keep, because the
 * text may have injected fields (decisions, "Trust", T2).
 */

import { mendedJson } from './mended-json.ts'

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

const unescaped = (raw: string): string =>
  raw.replace(/\\(?:u([0-9a-f]{4})|(["\\/nrt]))/gi, (_, code: string | undefined, letter: string) =>
    code === undefined ? (ESCAPES[letter.toLowerCase()] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** Longer JSON is not repaired. Notifications are shorter. */
const MENDED_LIMIT = 64 * 1024

/** Only this many characters of a body are searched for members. Notifications are shorter. */
const SALVAGE_LIMIT = 64 * 1024

/** A member's name and, if its value is a string, the opening quote. */
const NAME = /[{,]\s{0,8}"([\w.-]{1,40})"\s{0,8}:\s{0,8}("?)/g

/** Takes as a value everything from one name to the next name or the end of the body, so quotes inside a text do not end it. */
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

/** Phones write `“` when a user types JSON, and some programs write `'`. */
const withPlainQuotes = (json: string): string => {
  const body = json.slice(0, SALVAGE_LIMIT)
  return /[“”„]/.test(body) ? body.replace(/[“”„]/g, '"') : body.replaceAll("'", '"')
}

export interface LenientJson {
  /** Undefined if even the repaired text cannot be read. */
  value: unknown
  /** False if the original text is not valid JSON. */
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
  const mended = json.length > MENDED_LIMIT ? undefined : parsed(mendedJson(json))
  return { value: mended ?? salvage(json) ?? salvage(withPlainQuotes(json)), exact: false }
}
