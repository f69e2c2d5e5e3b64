/**
 * Parses the query parameters of a request once, from the raw query. Koa's own `query` takes time quadratic in the number of pairs: 64 KB
 * of `a&a&a` take it 16 s. So it is replaced.
 */
import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'

/** For each parameter its value, or all its values if it is given more than once. */
export type Query = Readonly<Record<string, string | string[]>>

/** Most pairs in one query (decisions, "Sizes"). */
export const MOST_PAIRS = 100

type Asked = { req: IncomingMessage }

/** The query as sent, without its `?`. Each character is one byte, as Node accepts no others in a request line. */
export const rawQueryOf = ({ req }: { req: { url?: string | undefined } }): string => {
  const url = req.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Whether a query or a form has more pairs than are read. Stops counting at the limit. */
export const hasTooManyPairs = (encoded: string): boolean => {
  let pairs = 1
  for (let at = encoded.indexOf('&'); at >= 0; at = encoded.indexOf('&', at + 1)) if (++pairs > MOST_PAIRS) return true
  return false
}

const NONE: Query = Object.freeze(Object.create(null) as Query)

/** @param raw  a query as sent. @returns no parameters if there are too many pairs */
export const parseQuery = (raw: string): Query => {
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

/** @returns no parameters if there are too many pairs */
export const queryOf = ({ req }: Asked): Query => ((req as Parsed)[QUERY] ??= parseQuery(rawQueryOf({ req })))

/** Makes the `query` of every context and request of this application `queryOf`, also for packages that read it. */
export const replaceQueryGetter = ({ request }: Koa): void => {
  Object.defineProperty(request, 'query', {
    get(this: Koa.Request) {
      return queryOf(this)
    },
  })
}
