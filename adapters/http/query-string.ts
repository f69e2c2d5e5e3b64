/**
 * The query string: its limits (interface, section 8; decisions, "Sizes") and its parameters, parsed once. Koa's own getters are not
 * used: their cost grows with the square of the number of parameters.
 *
 * The personal URL takes more: a Vietnamese text by GET is long, and the phone would repeat a refused one forever.
 */
import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import { invalid } from '../../domain/account/refusals.ts'
import { Refused } from '../../domain/errors.ts'

/** Bytes as sent, without the `?`. */
const LIMIT = 2_048
/** On the personal URL: the longest query that is read, and the longest that is answered with 200. */
const READ_LIMIT = 16 * 1024
const PERSONAL_LIMIT = 64 * 1024
/** Parameters of one query. */
const MOST_PAIRS = 100

const PERSONAL = '/api/receive/u/'

interface Request {
  req: IncomingMessage
}

/** The query as it was sent. Its characters are bytes: Node takes no others in a request line. */
export const rawQueryOf = ({ req }: Request): string => {
  const url = req.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Room that Node's parser must give to a request's head: the longest query there is, and headers. */
export const HEAD_LIMIT = PERSONAL_LIMIT + 16 * 1024

/** @returns where the first 100 parameters end; the query's length where it has no more */
const endOfPairs = (raw: string): number => {
  let end = -1
  for (let pairs = 0; pairs < MOST_PAIRS; pairs++) {
    end = raw.indexOf('&', end + 1)
    if (end < 0) return raw.length
  }
  return end
}

/** Values by name; a parameter that is given several times has a list. */
export type Query = Readonly<Record<string, string | string[]>>

const NO_QUERY: Query = {}

const parse = (raw: string): Query => {
  // Without a prototype: a parameter may have any name.
  const query = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(raw.slice(0, endOfPairs(raw)))) {
    const known = query[name]
    if (known === undefined) query[name] = value
    else if (Array.isArray(known)) known.push(value)
    else query[name] = [known, value]
  }
  return query
}

const parsed = new WeakMap<IncomingMessage, Query>()

/** The first 100 parameters; parsed once for a request. */
export const queryOf = (context: Request): Query => {
  const known = parsed.get(context.req)
  if (known) return known
  const raw = rawQueryOf(context)
  if (raw === '') return NO_QUERY
  const query = parse(raw)
  parsed.set(context.req, query)
  return query
}

/** Whether the personal URL's query is longer, or has more parameters, than a notification's. */
export const isTooLong = (context: Request): boolean => {
  const raw = rawQueryOf(context)
  return raw.length > READ_LIMIT || endOfPairs(raw) < raw.length
}

/** @throws {Refused} QUERY_TOO_LONG, VALIDATION_FAILED */
export const limitQuery: Middleware = (context, next) => {
  const raw = rawQueryOf(context)
  if (raw === '') return next()
  const isPersonal = context.path.startsWith(PERSONAL)
  const limit = isPersonal ? PERSONAL_LIMIT : LIMIT
  if (raw.length > limit) throw new Refused('QUERY_TOO_LONG', `A query string has at most ${limit} bytes.`)
  if (!isPersonal && endOfPairs(raw) < raw.length)
    throw invalid({ path: '', message: `A query string has at most ${MOST_PAIRS} parameters.` })
  return next()
}
