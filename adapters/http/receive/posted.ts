/**
 * What a forwarder app posted, read without believing its content type: JSON wherever it looks like JSON, then multipart, then
 * a form, else the body is the text. Parameters of the query fill in what the body does not say.
 */
import { storable, textOf } from './body-text.ts'
import { isKnownName } from './fields.ts'
import { parseLeniently } from './lenient-json.ts'

export interface Posted {
  /** An object of fields, a list of them, or the text itself. */
  value: unknown
  /** The body where it was valid JSON; null where `raw_data` must be written from the value. */
  json: string | null
}

type Fields = Record<string, unknown>

/** Without a prototype: a field may have any name. */
const fieldsOf = (pairs: Iterable<readonly [string, unknown]>): Fields => {
  const fields = Object.create(null) as Fields
  for (const [name, value] of pairs) fields[name] ??= value
  return fields
}

/** Bytes of a file in a multipart body that are taken as text. */
const FILE_LIMIT = 64 * 1024

const multipart = async (bytes: Buffer, contentType: string): Promise<Fields | null> => {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
    const pairs = [...form].map(async ([name, part]) => {
      const value = typeof part === 'string' ? part : textOf(Buffer.from(await part.slice(0, FILE_LIMIT).arrayBuffer()))
      return [name, value] as const
    })
    return fieldsOf(await Promise.all(pairs))
  } catch {
    return null
  }
}

/** A body with raw blanks in it was never form-encoded: there a plus is a plus, such as that of an amount. */
const formPairs = (text: string): Iterable<readonly [string, string]> =>
  new URLSearchParams(/[\s\u0080-\uffff]/.test(text.trim()) ? text.replaceAll('+', '%2B') : text)

/** A longer body is no form that tells of one notification. Characters. */
const FORM_LIMIT = 1024 * 1024

/** A form has a field that forwarders send; any other text with `=` and `&` in it is just a text. */
const form = (text: string): Fields | null => {
  const [, first] = /^\s*([\w.-]{1,40})=/.exec(text) ?? []
  if (first === undefined || text.length > FORM_LIMIT) return null
  const fields = fieldsOf(formPairs(text.trim()))
  return Object.keys(fields).some(isKnownName) ? fields : null
}

const JSON_BEGINS = /^\s*[{["]/

const fromBody = async (bytes: Buffer, contentType: string): Promise<Posted> => {
  if (/^multipart\/form-data/i.test(contentType)) {
    const value = await multipart(bytes, contentType)
    if (value) return { value, json: null }
  }
  const text = textOf(bytes, contentType)
  const read = JSON_BEGINS.test(text) ? parseLeniently(text) : undefined
  if (read) {
    // A list of one is that one.
    const value = Array.isArray(read.value) && read.value.length === 1 ? (read.value[0] as unknown) : read.value
    return { value, json: read.exact ? text : null }
  }
  return { value: form(text) ?? text, json: null }
}

/**
 * @param query  parameters of the address, empty where there are none
 */
export const readPosted = async (bytes: Buffer, contentType: string, query: Fields): Promise<Posted> => {
  const posted = bytes.length === 0 ? { value: {}, json: null } : await fromBody(bytes, contentType)
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
