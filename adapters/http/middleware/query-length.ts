// Tests: tests/integration/http/protocol.test.ts
/**
 * Limits the length of a query, in bytes as sent and without its `?` (interface, section 8), and its number of pairs. The personal URL
 * accepts more bytes, because a Vietnamese text sent by GET is long. It handles too many pairs itself, because a phone would resend a
 * refused request forever.
 */
import type { Middleware } from 'koa'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { hasTooManyPairs, MOST_PAIRS, rawQueryOf } from './query-string.ts'

const LIMIT = 2_048
/** For the personal URL: the longest query that is read, and the longest that is answered without an error. */
const READ_LIMIT = 16 * 1024
const PERSONAL_LIMIT = 64 * 1024

const PERSONAL = '/api/receive/u/'

/** Size of a request's head that Node's parser must accept: the longest query plus headers. */
export const HEAD_LIMIT = PERSONAL_LIMIT + 16 * 1024

/** Whether the personal URL reads this query. Otherwise the notification is ignored as too long. */
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
