/**
 * What a forwarder app posted, read without believing its content type: JSON wherever it looks like JSON, then multipart, then
 * a form, else the body is the text. Parameters of the query fill in what the body does not say.
 *
 * Apps put texts into templates without escaping them, so a text may name fields. Here it is told where that cannot be ruled out (decisions,
 * "Trust", T2): a name that occurs twice, and JSON that is not exact. Two names of one field are told by `fields.ts`.
 */
import type { Unsafe } from '../../../domain/notification/events.ts'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { hasTooManyValues } from '../json-values.ts'
import { storable, textOf } from './body-text.ts'
import { hasDuplicateKey } from './duplicate-keys.ts'
import { parseLeniently } from './lenient-json.ts'
import { isKnownName, plainName, sameName } from './names.ts'

type Fields = Record<string, unknown>

export interface Posted {
  /** An object of fields, a list of them, or the text itself. */
  value: unknown
  /** The parameters of the address; null where there are none. */
  query?: Fields | null | undefined
  /** The body where it was valid JSON; null where `raw_data` must be written from the value. */
  json: string | null
  /** Why a text may have named fields of the whole body. */
  unsafe?: Unsafe | undefined
  /** Why the body is no notification's: too many bytes or fields (decisions, "Sizes"). Its value is the beginning as a text. */
  tooLong?: Refused
  /** Whether each value was encoded on its own, as in a form: then no text can have named a field. */
  isEscaped?: boolean
}

/** Pairs as fields, the first of each name. */
interface Paired {
  fields: Fields
  /** Whether a field is given twice, with different values: then a text may have given one of them. */
  isRepeated: boolean
}

/** Without a prototype: a field may have any name. */
const paired = (pairs: Iterable<readonly [string, unknown]>): Paired => {
  const fields = Object.create(null) as Fields
  const known = new Map<string, unknown>()
  let isRepeated = false
  for (const [name, value] of pairs) {
    fields[name] ??= value
    if (!isKnownName(name)) continue
    const plain = plainName(name)
    if (known.has(plain) && known.get(plain) !== value) isRepeated = true
    known.set(plain, value)
  }
  return { fields, isRepeated }
}

const unsafeIf = (isRepeated: boolean): Unsafe | undefined => (isRepeated ? 'duplicate_key' : undefined)

/** Bytes and fields of a form, and parts of a multipart body (decisions, "Sizes"). */
const FORM_LIMIT = 1024 * 1024
const MOST_FIELDS = 100

/** Bytes of a plain text that are looked at: more than is read or kept of any. */
const TEXT_LIMIT = 128 * 1024

/** The beginning of a long body as a text; a character that the cut divides goes with it. */
const beginningOf = (bytes: Buffer, contentType: string): string => {
  if (bytes.length <= TEXT_LIMIT) return textOf(bytes, contentType)
  let end = TEXT_LIMIT
  while (end > TEXT_LIMIT - 4 && (bytes[end]! & 0xc0) === 0x80) end--
  return textOf(bytes.subarray(0, end), contentType)
}

const tooLong = (bytes: Buffer, contentType: string, refusal: Refused): Posted => ({
  value: beginningOf(bytes, contentType),
  json: null,
  tooLong: refusal,
})

const tooManyBytes = () => new Refused('PAYLOAD_TOO_LARGE', `A form has at most ${FORM_LIMIT} bytes.`)
const tooManyFields = () => invalid({ path: '', message: `A form has at most ${MOST_FIELDS} fields.` })

/** Whether there are more of these than a form may have; looks no further than that. */
const hasMore = (bytes: Buffer, sought: string, most: number): boolean => {
  let at = -1
  for (let found = 0; found <= most; found++) {
    at = bytes.indexOf(sought, at + 1, 'latin1')
    if (at < 0) return false
  }
  return true
}

const boundaryIn = (contentType: string): string | undefined =>
  /;\s{0,20}boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType)?.slice(1).find(Boolean)

/** Bytes of a file in a multipart body that are taken as text. */
const FILE_LIMIT = 64 * 1024

const multipart = async (bytes: Buffer, contentType: string): Promise<Paired | null> => {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
    const pairs = [...form].map(async ([name, part]) => {
      const value = typeof part === 'string' ? part : textOf(Buffer.from(await part.slice(0, FILE_LIMIT).arrayBuffer()))
      return [name, value] as const
    })
    return paired(await Promise.all(pairs))
  } catch {
    return null
  }
}

/** A body with raw blanks in it was never form-encoded: there a plus is a plus, such as that of an amount. */
const isEncoded = (text: string): boolean => !/[\s\u0080-\uffff]/.test(text.trim())

/** A text with so many `&` is no form, unless its content type says so. */
const hasManyFields = (text: string): boolean => text.split('&', MOST_FIELDS + 1).length > MOST_FIELDS

/** A form has a field that forwarders send; any other text with `=` and `&` in it is just a text. */
const form = (text: string): Posted | null => {
  const [, first] = /^\s*([\w.-]{1,40})=/.exec(text) ?? []
  if (first === undefined || hasManyFields(text)) return null
  const isEscaped = isEncoded(text)
  const pairs = new URLSearchParams(isEscaped ? text.trim() : text.trim().replaceAll('+', '%2B'))
  const { fields, isRepeated } = paired(pairs)
  if (!Object.keys(fields).some(isKnownName)) return null
  return { value: fields, json: null, unsafe: unsafeIf(isRepeated), isEscaped }
}

/** Text that is a JSON string: nothing in it can be a field. */
const jsonString = (text: string): string | null => {
  if (!/^\s*"/.test(text)) return null
  const { value, exact } = parseLeniently(text)
  return exact && typeof value === 'string' ? value : null
}

/** @returns null where it is a text that only begins like JSON */
const json = (text: string, isLabelled: boolean): Posted | null => {
  const { value, exact } = parseLeniently(text)
  // A bank's text may begin with a bracket, such as `[VCB]`; none begins with a brace.
  if (value === undefined && !isLabelled && /^\s*\[/.test(text)) return null
  if (!exact) return { value: value ?? text, json: null, unsafe: 'broken_json' }
  // A list of one is that one.
  const one = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
  return { value: one, json: text, unsafe: unsafeIf(hasDuplicateKey(text, sameName)) }
}

/** @param isText  whether it can only be the text, as the address names the rest and the content type says so */
const fromBody = async (bytes: Buffer, contentType: string, isText: boolean): Promise<Posted> => {
  const isForm = /^application\/x-www-form-urlencoded/i.test(contentType)
  const isMultipart = /^multipart\/form-data/i.test(contentType)
  if ((isForm || isMultipart) && bytes.length > FORM_LIMIT) return tooLong(bytes, contentType, tooManyBytes())
  if (isForm && hasMore(bytes, '&', MOST_FIELDS - 1)) return tooLong(bytes, contentType, tooManyFields())
  if (isMultipart) {
    // The last boundary ends the body.
    if (hasMore(bytes, `--${boundaryIn(contentType) ?? ''}`, MOST_FIELDS + 1))
      return tooLong(bytes, contentType, tooManyFields())
    const parts = await multipart(bytes, contentType)
    if (parts) return { value: parts.fields, json: null, unsafe: unsafeIf(parts.isRepeated), isEscaped: true }
  }
  const beginning = beginningOf(bytes, contentType)
  if (isText) return { value: beginning, json: null }
  const looksLikeJson = /^\s*[{["]/.test(beginning)
  if (looksLikeJson && hasTooManyValues(bytes)) return { value: beginning, json: null, unsafe: 'broken_json' }
  const text = looksLikeJson ? textOf(bytes, contentType) : beginning
  const read = /^\s*[{[]/.test(text) ? json(text, /\bjson\b/i.test(contentType)) : null
  return read ?? form(text) ?? { value: jsonString(text) ?? text, json: null }
}

/** The fields of an address; a parameter that is given twice has both values. */
const fromQuery = (query: Fields): Paired =>
  paired(
    Object.entries(query).flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((each) => [name, each as unknown] as const) : [[name, value] as const],
    ),
  )

/**
 * @param query  parameters of the address, empty where there are none
 */
export const readPosted = async (bytes: Buffer, contentType: string, query: Fields): Promise<Posted> => {
  const { fields, isRepeated } = fromQuery(query)
  const names = Object.keys(fields)
  const isText = /^text\/plain/i.test(contentType) && names.some(isKnownName)
  const posted: Posted = bytes.length === 0 ? { value: {}, json: null } : await fromBody(bytes, contentType, isText)
  if (names.length === 0) return posted
  return {
    ...posted,
    query: fields,
    unsafe: posted.unsafe ?? unsafeIf(isRepeated),
    isEscaped: posted.isEscaped === true && !names.some(isKnownName),
  }
}

/** Null where it is nested too deeply to be written. */
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
  return paired([...Object.entries(fields), ...Object.entries(query)]).fields
}

/**
 * What `raw_data` is made of: valid JSON, the body as it came where it was that. Capture cuts it to size.
 * @param text  the notification's text, kept alone where the rest cannot be written
 */
export const rawDataOf = ({ value, query, json }: Posted, text: string): string => {
  if (json !== null && !query) return storable(json)
  const whole = query ? withQuery(value, query) : typeof value === 'string' ? { text: value } : value
  return storable(written(whole) ?? JSON.stringify({ text }))
}
