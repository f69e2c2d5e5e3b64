/**
 * What a forwarder app posted, read without believing its content type: JSON wherever it looks like JSON, then multipart, then
 * a form, else the body is the text. Parameters of the query fill in what the body does not say.
 */
import { hasTooManyValues } from '../json-values.ts'
import { hasTooManyPairs } from '../query-string.ts'
import { storable, textOf } from './body-text.ts'
import { isKnownName } from './fields.ts'
import { parseLeniently } from './lenient-json.ts'
import { pairsOf } from './multipart.ts'

export interface Posted {
  /** An object of fields, a list of them, or the text itself. */
  value: unknown
  /** The body where it was valid JSON; null where `raw_data` must be written from the value. */
  json: string | null
}

/** A form over 1 MB or 100 fields, or JSON with more values than any notification has. It was not read. */
export class TooMuchPosted extends Error {
  override name = 'TooMuchPosted'
}

type Fields = Record<string, unknown>

/** Without a prototype: a field may have any name. */
const fieldsOf = (pairs: Iterable<readonly [string, unknown]>): Fields => {
  const fields = Object.create(null) as Fields
  for (const [name, value] of pairs) fields[name] ??= value
  return fields
}

const isMultipart = (contentType: string): boolean => /^multipart\/form-data/i.test(contentType)

const multipart = (bytes: Buffer, contentType: string): Fields | null => {
  const pairs = pairsOf(bytes, contentType)
  if (pairs === 'too_many') throw new TooMuchPosted()
  return pairs && fieldsOf(pairs)
}

/** A body with raw blanks in it was never form-encoded: there a plus is a plus, such as that of an amount. */
const formPairs = (text: string): Iterable<readonly [string, string]> =>
  new URLSearchParams(/[\s\u0080-\uffff]/.test(text.trim()) ? text.replaceAll('+', '%2B') : text)

/** Bytes of a form, multipart or not (decisions, "Sizes"). */
const FORM_LIMIT = 1024 * 1024

const BEGINS_A_FORM = /^\s{0,99}([\w.-]{1,40})=/

/** A form has a field that forwarders send; any other text with `=` and `&` in it is just a text. */
const form = (text: string, isLabelled: boolean): Fields | null => {
  if (!BEGINS_A_FORM.test(text)) return null
  const isLong = text.length > FORM_LIMIT || hasTooManyPairs(text)
  if (isLong && isLabelled) throw new TooMuchPosted()
  if (isLong) return null
  const fields = fieldsOf(formPairs(text.trim()))
  return Object.keys(fields).some(isKnownName) ? fields : null
}

const JSON_BEGINS = /^\s*[{["]/

const fromBody = (bytes: Buffer, contentType: string): Posted => {
  if (isMultipart(contentType)) {
    if (bytes.length > FORM_LIMIT) throw new TooMuchPosted()
    const value = multipart(bytes, contentType)
    if (value) return { value, json: null }
  }
  const text = textOf(bytes, contentType)
  const looksLikeJson = JSON_BEGINS.test(text)
  if (looksLikeJson && hasTooManyValues(text)) throw new TooMuchPosted()
  const read = looksLikeJson ? parseLeniently(text) : undefined
  if (read) {
    // A list of one is that one.
    const value = Array.isArray(read.value) && read.value.length === 1 ? (read.value[0] as unknown) : read.value
    return { value, json: read.exact ? text : null }
  }
  return { value: form(text, /^application\/x-www-form-urlencoded/i.test(contentType)) ?? text, json: null }
}

/**
 * @param query  parameters of the address, empty where there are none
 * @throws {TooMuchPosted}
 */
export const readPosted = async (bytes: Buffer, contentType: string, query: Fields): Promise<Posted> => {
  const posted = bytes.length === 0 ? { value: {}, json: null } : fromBody(bytes, contentType)
  if (Object.keys(query).length === 0) return posted
  const fields = typeof posted.value === 'string' ? { text: posted.value } : posted.value
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return posted
  return { value: fieldsOf([...Object.entries(fields), ...Object.entries(query)]), json: null }
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

/**
 * What `raw_data` is made of: valid JSON, the body as it came where it was that. Capture cuts it to size.
 * @param text  the notification's text, kept alone where the rest cannot be written
 */
export const rawDataOf = ({ value, json }: Posted, text: string): string =>
  storable(json ?? written(typeof value === 'string' ? { text: value } : value) ?? JSON.stringify({ text }))
