/**
 * How long a query may be, in bytes as sent, without its `?` (interface, section 8). The personal URL takes more: a
 * Vietnamese text by GET is long, and a refusal would make the phone send it for ever.
 */
import type { Middleware } from 'koa'
import { Refused } from '../../domain/errors.ts'

const LIMIT = 2_048
/** On the personal URL: what is still read, and what is still answered. */
export const READ_QUERY_LIMIT = 16 * 1024
const PERSONAL_LIMIT = 64 * 1024

const PERSONAL = '/api/receive/u/'

/** As it was sent: Koa's own is the same text. Its characters are bytes: Node takes no others in a request line. */
export const rawQueryOf = ({ req }: { req: { url?: string | undefined } }): string => {
  const url = req.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Room that Node's parser must give to a request's head: the longest query there is, and headers. */
export const HEAD_LIMIT = PERSONAL_LIMIT + 16 * 1024

/** @throws {Refused} QUERY_TOO_LONG */
export const queryLength: Middleware = async (context, next) => {
  const limit = context.path.startsWith(PERSONAL) ? PERSONAL_LIMIT : LIMIT
  if (rawQueryOf(context).length > limit)
    throw new Refused('QUERY_TOO_LONG', `A query string has at most ${limit} bytes.`)
  await next()
}
