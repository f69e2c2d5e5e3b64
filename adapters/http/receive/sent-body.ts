// Tests: tests/integration/http/receive.test.ts
/** Reads a body as it was sent: compressed or not, and however large. */
import type { Arrival } from '../../../domain/arrival/arrival.ts'
import type { ApiContext } from '../context.ts'
import { overloaded } from '../middleware/errors.ts'
import { isReadable } from '../middleware/query-length.ts'
import { parseQuery, queryOf, rawQueryOf, type Query } from '../middleware/query-string.ts'
import { BODY_LIMIT } from '../middleware/raw-body.ts'
import { arrivalOf, type At } from './arrival.ts'
import { textOf } from './body-text.ts'
import { decompressed, decompressorOf, type OpenDecompressor } from './decompressed.ts'
import { mendedForm } from './form-text.ts'
import { damagedBody, readPosted, TooMuchPosted, type Posted } from './posted-body.ts'

/** Bytes that are kept of a body that is too large to be parsed. */
const BEGINNING = 64 * 1024

/** The parameters of a query. Apps do not encode every character of a text. */
const parametersOf = (context: ApiContext): Query => {
  const raw = rawQueryOf(context)
  const mended = isReadable(raw) ? mendedForm(raw) : raw
  return mended === raw ? queryOf(context) : parseQuery(mended)
}

/** A body that is too large to be parsed. Only its beginning is kept. */
export interface TooLarge {
  tooLarge: 'form' | 'json'
  bytes: Buffer
}

const readable = (context: ApiContext, bytes: Buffer): Posted | TooLarge => {
  try {
    return readPosted(bytes, context.headers['content-type'] ?? '', parametersOf(context))
  } catch (error) {
    if (error instanceof TooMuchPosted) return { tooLarge: error.of, bytes }
    throw error
  }
}

/** @throws {Refused} OVERLOADED */
const compressed = async (context: ApiContext, sent: Buffer, open: OpenDecompressor): Promise<Posted | TooLarge> => {
  const { held } = context.state
  const result = await decompressed(sent, open, BODY_LIMIT, (bytes) => held.take(bytes))
  if (result === 'overloaded') throw overloaded()
  const { bytes, state } = result
  if (state === 'too_large') return { tooLarge: 'json', bytes }
  if (state === 'whole') return readable(context, bytes)
  const begun = textOf(bytes.subarray(0, BEGINNING), context.headers['content-type'])
  return damagedBody(sent, begun, parametersOf(context))
}

/** @throws {Refused} OVERLOADED */
export const postedIn = async (context: ApiContext, bytes: Buffer): Promise<Posted | TooLarge> => {
  const open = decompressorOf(bytes, context.headers['content-encoding'] ?? '')
  return open ? compressed(context, bytes, open) : readable(context, bytes)
}

/** The notification for a body that is too large: its text is the beginning of the body. */
export const tooLong = ({ bytes }: TooLarge, contentType: string | undefined, at: At): Arrival => {
  const value = textOf(bytes.subarray(0, BEGINNING), contentType)
  return { ...arrivalOf({ value, json: null }, at), ignored_as: 'too_long' }
}

/** The notifications of a body that has several; null if it has one. A list of text lines is one notification. */
export const listIn = ({ value }: Posted): readonly object[] | null =>
  Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === 'object' && item !== null)
    ? (value as object[])
    : null
