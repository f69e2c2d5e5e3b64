// Tests: tests/integration/openapi/bodies.test.ts
/**
 * Reads the JSON bodies of the API with koa-body, between two guards. The first one refuses a body of another type, encoding or charset, and
 * admits the bytes (`raw-body.ts`). koa-body replaces invalid bytes with U+FFFD, so the second one refuses a text that was not valid.
 */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { HttpMethodEnum, koaBody } from 'koa-body'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ApiContext } from '../context.ts'
import { charsetOf, decoderOf, type Charset } from '../receive/charset.ts'
import {
  LONGEST_NAME,
  LONGEST_TEXT,
  looksTooLarge,
  MOST_CHECKED,
  MOST_VALUES,
  valueCounter,
} from '../receive/json-values.ts'
import { SHORT } from './bodies-in-flight.ts'
import { admit, BODY_LIMIT } from './raw-body.ts'

/** The members that koa-body adds to the request. */
interface Parsed {
  body?: unknown
  rawBody?: string
}

type JsonCharset = Exclude<Charset, 'other'>

const parserOf = (encoding: JsonCharset, jsonLimit: number) =>
  koaBody({
    encoding,
    json: true,
    jsonTypes: ['json', '+json'],
    jsonStrict: false,
    jsonLimit,
    includeUnparsed: true,
    text: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: Object.values(HttpMethodEnum),
  })

const parsersFor = (limit: number) =>
  ({
    'utf-8': parserOf('utf-8', limit),
    'utf-16le': parserOf('utf-16le', limit),
    'utf-16be': parserOf('utf-16be', limit),
  }) satisfies Record<JsonCharset, unknown>

const OF_STRANGERS = parsersFor(SHORT)
const OF_ACCOUNTS = parsersFor(BODY_LIMIT)

const notJson = () => invalid({ path: '', message: 'The body is not valid JSON.' })
const tooManyValues = () => invalid({ path: '', message: `The body must not have more than ${MOST_VALUES} values.` })
const tooLarge = () =>
  invalid({
    path: '',
    message: `The body must not have more than ${MOST_CHECKED} values, a text of more than ${LONGEST_TEXT} characters, or a name of more than ${LONGEST_NAME}.`,
  })
const unsupported = (message: string) => new Refused('UNSUPPORTED_MEDIA_TYPE', message)

const read = new WeakMap<IncomingMessage, Promise<unknown>>()

/** The JSON value in the body; undefined if there is no body. Several calls read the body only once. @throws {Refused} 400, 413, 415, 503 */
export const readJson = (context: ApiContext): Promise<unknown> => {
  const known = read.get(context.req) ?? parse(context)
  read.set(context.req, known)
  return known
}

const parse = async (context: ApiContext): Promise<unknown> => {
  const type = typeOf(context)
  const { stream, chunks, arrived } = admitted(context, type instanceof Refused ? () => false : valueCounter(type))
  if (type instanceof Refused) {
    await arrived
    if (chunks.length === 0) return undefined
    throw type
  }
  // koa-body reads the admitted stream in place of the request.
  const request = Object.create(context.request) as Parsed
  const own = Object.assign(Object.create(context) as ApiContext, { req: stream, request })
  const parsers = context.state.account ? OF_ACCOUNTS : OF_STRANGERS
  const failure = await parsers[type](own, () => Promise.resolve()).then(
    () => null,
    (error: unknown) => error,
  )
  await arrived
  if (chunks.length === 0) return undefined
  if (failure && !(failure instanceof SyntaxError)) throw failure
  const { body, rawBody = '' } = request
  if (failure || !isValid(rawBody, chunks, type)) throw notJson()
  if (looksTooLarge(body)) throw tooLarge()
  return body
}

/** The body as a stream for koa-body, its chunks, and a promise of its end, which rejects if the body is refused or the caller has gone. */
const admitted = (context: ApiContext, hasTooMany: (chunk: Buffer) => boolean) => {
  const chunks: Buffer[] = []
  const stream = Object.assign(new Readable({ read: () => {} }), { headers: {} })
  // The promise reports the refusal.
  stream.on('error', () => {})
  const arrived = new Promise<void>((resolve, reject) =>
    admit(context, context.state.account?.user_id ?? null, {
      take: (chunk) => {
        chunks.push(chunk)
        stream.push(chunk)
        return hasTooMany(chunk) ? tooManyValues : null
      },
      end: () => {
        stream.push(null)
        resolve()
      },
      refused: () => {
        chunks.length = 0
        stream.destroy(new Error('refused'))
      },
      fail: reject,
    }),
  )
  arrived.catch(() => {})
  return { stream, chunks, arrived }
}

/** @returns the charset of a JSON body, or why a body of this type is not read */
const typeOf = (context: ApiContext): JsonCharset | Refused => {
  const encoding = context.get('content-encoding')
  if (!context.is('json', '+json')) return unsupported('Send the body as application/json.')
  if (encoding && encoding !== 'identity') return unsupported('Send the body without Content-Encoding.')
  const charset = charsetOf(context.get('content-type'))
  return charset === 'other' ? unsupported('Send the body as UTF-8 or UTF-16.') : charset
}

/** Whether the text was decoded without replacements. A text may also contain U+FFFD itself. */
const isValid = (text: string, chunks: readonly Buffer[], charset: Charset): boolean => {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  const isCut = charset !== 'utf-8' && bytes % 2 === 1
  if (!isCut && !/[\ufffd\p{Cs}]/u.test(text)) return true
  try {
    decoderOf(charset, { fatal: true }).decode(Buffer.concat(chunks))
    return true
  } catch {
    return false
  }
}
