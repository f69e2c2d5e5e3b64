// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/**
 * Reads the body that a forwarder app posted. Multipart is recognized by the content type. Otherwise the content decides: JSON if it looks
 * like JSON, else a form, else the whole body is the text. Query parameters supply the fields that the body does not have.
 *
 * Apps insert texts into templates without escaping them, so a text may inject fields. This module reports the cases in which that cannot
 * be ruled out (decisions, "Trust", T2): a name that occurs twice, and JSON that is not valid. `fields.ts` reports two names of one field.
 */
import type { Unsafe } from '../../../domain/arrival/events.ts'
import { hasTooManyValues } from './json-values.ts'
import { hasTooManyPairs } from '../middleware/query-string.ts'
import { storable, textOf } from './body-text.ts'
import { hasDuplicateKey } from './duplicate-keys.ts'
import { isEncoded, isHalfEncoded, mendedForm, percentDecoded } from './form-text.ts'
import { parseLeniently } from './lenient-json.ts'
import { pairsOf } from './multipart.ts'
import { isKnownName, memberNamed, plainName, sameName } from './field-names.ts'

type Fields = Record<string, unknown>

/** A form over 1 MB or 100 fields, or JSON with more values than any notification has (decisions, "Sizes"). The body was not read. */
export class TooMuchPosted extends Error {
  override name = 'TooMuchPosted'
  readonly of: 'form' | 'json'
  constructor(of: TooMuchPosted['of']) {
    super(`a ${of} that is too long`)
    this.of = of
  }
}

export interface Posted {
  /** An object of fields, a list of them, or the text itself. */
  value: unknown
  /** The query parameters; null if there are none. */
  query?: Fields | null | undefined
  /** The body if it was valid JSON; null if `raw_data` must be serialized from the value. */
  json: string | null
  /** The body as sent, if the value may not have all of it. It becomes the text if no text is found, and is kept in `raw_data`. */
  sent?: string | undefined
  /** The reason why a text may have injected fields into the body. */
  unsafe?: Unsafe | undefined
  /** Whether the value does not have everything that was sent. */
  isLossy?: boolean
  /** Whether each value was encoded on its own, as in a form. Then no text can have injected a field. */
  isEscaped?: boolean
}

/** Fields made of name-value pairs. The first value of each name counts. */
interface Paired {
  fields: Fields
  /** Whether the fields do not have every value. */
  isLossy: boolean
  /** Whether a field is given twice with different values. Then a text may have injected one of them. */
  isRepeated: boolean
  /** Whether forwarders use one of the names. */
  isKnown: boolean
}

/** Without a prototype: a field may have any name. */
const noFields = (): Fields => Object.create(null) as Fields

interface Target {
  members: Fields
  key: string
  /** The plain name if forwarders use it, else null. */
  known: string | null
}

/** Where a field belongs. `data[text]` is the member `text` of `data`, unless `data` is a field of its own. */
const targetOf = (fields: Fields, name: string): Target => {
  const path = memberNamed(name)
  if (path && typeof fields[path[0]] !== 'string')
    return { members: (fields[path[0]] ??= noFields()) as Fields, key: path[1], known: path.join('/') }
  return { members: fields, key: name, known: isKnownName(name) ? plainName(name) : null }
}

const paired = (pairs: Iterable<readonly [string, unknown]>): Paired => {
  const fields = noFields()
  const values = new Map<string, unknown>()
  let isRepeated = false
  let isLossy = false
  for (const [name, value] of pairs) {
    const { members, key, known } = targetOf(fields, name)
    members[key] ??= value
    if (members[key] !== value) isLossy = true
    if (known === null) continue
    const earlier = values.get(known)
    if (earlier !== undefined && earlier !== value) isRepeated = true
    values.set(known, value)
  }
  return { fields, isRepeated, isLossy, isKnown: values.size > 0 }
}

const unsafeIf = (isRepeated: boolean): Unsafe | undefined => (isRepeated ? 'duplicate_key' : undefined)

const multipart = (bytes: Buffer, contentType: string): Paired | null => {
  const pairs = pairsOf(bytes, contentType)
  if (pairs === 'too_many') throw new TooMuchPosted('form')
  return pairs && paired(pairs)
}

/** Most bytes of a form, multipart or not. */
const FORM_LIMIT = 1024 * 1024

const BEGINS_A_FORM = /^\s{0,99}[\w.-]{1,40}(?:(?:\[|%5b)[\w.-]{1,40}(?:\]|%5d))?=/i

/** A form has at least one field name that forwarders use. Any other text that contains `=` and `&` is plain text. */
const form = (text: string, isLabelled: boolean): Posted | null => {
  if (!BEGINS_A_FORM.test(text)) return null
  const isLong = text.length > FORM_LIMIT || hasTooManyPairs(text)
  if (isLong && isLabelled) throw new TooMuchPosted('form')
  if (isLong) return null
  const mended = mendedForm(text.trim())
  const { fields, isRepeated, isLossy, isKnown } = paired(new URLSearchParams(mended))
  if (!isKnown) return null
  // An app that leaves a plus, an ampersand or a colon as it is may also leave the rest of a text as it is.
  const isEscaped = isEncoded(text) && mended === text.trim() && !isHalfEncoded(text)
  return { value: fields, json: null, sent: text, unsafe: unsafeIf(isRepeated), isEscaped, isLossy }
}

/** The value of a body that is a JSON string. Such a body has no fields. */
const jsonString = (text: string): string | null => {
  if (!/^\s*"/.test(text)) return null
  const { value, exact } = parseLeniently(text)
  return exact && typeof value === 'string' ? value : null
}

/** @returns null if the body is a text that only begins like JSON */
const json = (text: string, isLabelled: boolean): Posted | null => {
  const { value, exact } = parseLeniently(text)
  // A bank's text may begin with a bracket, such as `[VCB]`; none begins with a brace.
  if (value === undefined && !isLabelled && /^\s*\[/.test(text)) return null
  // A list with one item is read as that item.
  const one = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
  if (!exact) return { value: one ?? text, json: null, sent: text, unsafe: 'broken_json' }
  return { value: one, json: text, sent: text, unsafe: unsafeIf(hasDuplicateKey(text, sameName)) }
}

/** @param isText  whether the body can only be the text: its content type is text/plain and the query has the other fields */
const fromBody = (bytes: Buffer, contentType: string, isText: boolean): Posted => {
  if (/^multipart\/form-data/i.test(contentType)) {
    if (bytes.length > FORM_LIMIT) throw new TooMuchPosted('form')
    const parts = multipart(bytes, contentType)
    if (parts) {
      const { fields, isRepeated, isLossy } = parts
      const sent = isLossy ? textOf(bytes, contentType) : undefined
      return { value: fields, json: null, sent, unsafe: unsafeIf(isRepeated), isEscaped: true, isLossy }
    }
  }
  const text = textOf(bytes, contentType)
  if (isText) return { value: percentDecoded(text), json: null, sent: text }
  if (/^\s*[{["]/.test(text) && hasTooManyValues(text)) throw new TooMuchPosted('json')
  const read = /^\s*[{[]/.test(text) ? json(text, /\bjson\b/i.test(contentType)) : null
  return (
    read ??
    form(text, /^application\/x-www-form-urlencoded/i.test(contentType)) ?? {
      value: jsonString(text) ?? percentDecoded(text),
      json: null,
      sent: text,
    }
  )
}

/** The fields of a query. A parameter that is given twice contributes both values. */
const fromQuery = (query: Fields): Paired => {
  const pairs: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value as unknown[]) pairs.push([name, each])
    else pairs.push([name, value])
  }
  return paired(pairs)
}

/** Bytes that are kept of a body that cannot be decompressed. As base64 they fit into `raw_data`. */
const KEPT_COMPRESSED = 40 * 1024

/**
 * A compressed body whose end is missing or broken.
 * @param text  what could be decompressed
 */
export const damagedBody = (bytes: Buffer, text: string, query: Fields): Posted => ({
  value: { body_base64: bytes.subarray(0, KEPT_COMPRESSED).toString('base64') },
  query: fromQuery(query).fields,
  json: null,
  sent: text === '' ? undefined : text,
  unsafe: 'broken_json',
})

/**
 * @param query  the query parameters; empty if there are none
 * @throws {TooMuchPosted}
 */
export const readPosted = (bytes: Buffer, contentType: string, query: Fields): Posted => {
  const { fields, isRepeated, isLossy } = fromQuery(query)
  const names = Object.keys(fields)
  const isText = /^text\/plain/i.test(contentType) && names.some(isKnownName)
  const posted: Posted = bytes.length === 0 ? { value: {}, json: null } : fromBody(bytes, contentType, isText)
  if (names.length === 0) return posted
  return {
    value: posted.value,
    json: posted.json,
    sent: posted.sent ?? (isLossy ? JSON.stringify(query) : undefined),
    query: fields,
    unsafe: posted.unsafe ?? unsafeIf(isRepeated),
    isLossy: isLossy || posted.isLossy === true,
    isEscaped: posted.isEscaped === true && !names.some(isKnownName),
  }
}

/** Null if the value is nested too deeply to be serialized. */
const written = (value: unknown): string | null => {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const withQuery = (value: unknown, query: Fields): unknown => {
  const fields = typeof value === 'string' ? { text: value } : value
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return value
  const whole = Object.assign(Object.create(null) as Fields, fields)
  for (const [name, asked] of Object.entries(query)) whole[name] ??= asked
  return whole
}

/** Adds the body as sent if the value may not have all of it. */
const withSent = (value: unknown, sent: string | undefined): unknown => {
  if (sent === undefined || value === sent) return value
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value }
  return Object.assign(Object.create(null) as Fields, fields, { as_sent: sent })
}

/**
 * The source of `raw_data`: the original body if it was valid JSON, else JSON made from the value, with the body as sent if it had to be
 * repaired. Capture truncates it.
 * @param text  the notification's text; it alone is kept if the whole value cannot be serialized
 */
export const rawDataOf = ({ value, query, json, sent, unsafe, isEscaped, isLossy }: Posted, text: string): string => {
  if (json !== null && !query) return storable(json)
  const fields = query ? withQuery(value, query) : value
  const isWhole = !isLossy && (json !== null || value === sent || (unsafe === undefined && isEscaped !== false))
  const whole = isWhole ? fields : withSent(fields, sent)
  return storable(written(typeof whole === 'string' ? { text: whole } : whole) ?? JSON.stringify({ text }))
}
