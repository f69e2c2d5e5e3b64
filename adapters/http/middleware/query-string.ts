/**
 * The parameters of an address, from the raw query, parsed once. Koa's own `query` is quadratic in the number of pairs, so it is never used;
 * a lint rule sees to that.
 */
import type { IncomingMessage } from 'node:http'

/** One value, or all of them where the parameter is given more than once. */
export type Query = Readonly<Record<string, string | string[]>>

/** Pairs in one query (decisions, "Sizes"). */
export const MOST_PAIRS = 100

type Asked = { req: IncomingMessage }

/** As it was sent, without its `?`. Its characters are bytes: Node takes no others in a request line. */
export const rawQueryOf = ({ req }: { req: { url?: string | undefined } }): string => {
  const url = req.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Whether there are more pairs than are read, in a query or a form. Looks no further than that many. */
export const hasTooManyPairs = (encoded: string): boolean => {
  let pairs = 1
  for (let at = encoded.indexOf('&'); at >= 0; at = encoded.indexOf('&', at + 1)) if (++pairs > MOST_PAIRS) return true
  return false
}

const NONE: Query = Object.freeze(Object.create(null) as Query)

const parsed = (raw: string): Query => {
  if (raw === '' || hasTooManyPairs(raw)) return NONE
  const query = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(raw)) {
    const earlier = query[name]
    if (earlier === undefined) query[name] = value
    else if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = [earlier, value]
  }
  return query
}

const QUERY = Symbol('query')
type Parsed = IncomingMessage & { [QUERY]?: Query }

/** @returns none where there are too many to be read */
export const queryOf = ({ req }: Asked): Query => ((req as Parsed)[QUERY] ??= parsed(rawQueryOf({ req })))
