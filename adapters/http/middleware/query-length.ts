/**
 * How long a query may be, in bytes as sent, without its `?` (interface, section 8), and how many pairs it may have. The personal URL takes
 * more bytes, and answers too many pairs itself: a Vietnamese text by GET is long, and a refusal would make the phone send it for ever.
 */
import type { Middleware } from 'koa'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { hasTooManyPairs, MOST_PAIRS, rawQueryOf } from './query-string.ts'

const LIMIT = 2_048
/** On the personal URL: what is still read, and what is still answered. */
const READ_LIMIT = 16 * 1024
const PERSONAL_LIMIT = 64 * 1024

const PERSONAL = '/api/receive/u/'

/** Room that Node's parser must give to a request's head: the longest query there is, and headers. */
export const HEAD_LIMIT = PERSONAL_LIMIT + 16 * 1024

/** Whether the personal URL reads this query; otherwise the notification is ignored as too long. */
export const isReadable = (rawQuery: string): boolean => rawQuery.length <= READ_LIMIT && !hasTooManyPairs(rawQuery)

/** @throws {Refused} QUERY_TOO_LONG, VALIDATION_FAILED */
export const queryLength: Middleware = async (context, next) => {
  const raw = rawQueryOf(context)
  if (raw !== '') {
    const isPersonal = context.path.startsWith(PERSONAL)
    const limit = isPersonal ? PERSONAL_LIMIT : LIMIT
    if (raw.length > limit) throw new Refused('QUERY_TOO_LONG', `The query string must not exceed ${limit} bytes.`)
    if (!isPersonal && hasTooManyPairs(raw))
      throw invalid({ path: '', message: `The query string must not have more than ${MOST_PAIRS} parameters.` })
  }
  await next()
}
