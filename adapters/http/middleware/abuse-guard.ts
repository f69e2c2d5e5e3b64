/**
 * Locks an account that makes too many calls (interface, section 5); the call that exceeds a limit is refused already. Calls
 * with the dashboard's session never lock, as an owner who presses reload must not lose the account; nor do calls of the
 * operator, since nobody else could unlock that account. Over the same number in an hour they get 429.
 */
import { createHash } from 'node:crypto'
import { accountLocked } from '../../../domain/account/access.ts'
import { lockAccount } from '../../../workflows/accounts/access.ts'
import { occasionOf, type ApiContext, type ApiMiddleware } from '../context.ts'
import type { ApiParts } from '../parts.ts'
import { rawQueryOf } from './query-string.ts'
import { spend } from './rate-limits.ts'

/** A stream is one long request, and a job's progress is meant to be looked at again and again. */
const UNCOUNTED = /^\/api\/(stream|jobs)(\/|$)/

const HOUR_S = 3_600

/** The same for equal GETs: method, path and query. As a hash, since a query may hold the key. */
const signatureOf = (context: ApiContext): string =>
  context.method === 'GET'
    ? createHash('sha256')
        .update(`${context.path}?${rawQueryOf(context)}`)
        .digest('base64url')
    : ''

type GuardParts = Pick<ApiParts, 'accounts' | 'clock' | 'conducts' | 'counters' | 'log' | 'settings'>

/** Stands behind who calls. @throws {Refused} ACCOUNT_LOCKED, RATE_LIMITED · {StoreUnavailable} */
export const abuseGuard = ({ accounts, clock, conducts, counters, log, settings }: GuardParts): ApiMiddleware => {
  if (settings.rateLimits === 'off') return (_context, next) => next()
  const sessionLimit = { requests: settings.abusePerHour, seconds: HOUR_S }
  const countSession = counters.hot('session', sessionLimit)

  return async (context, next) => {
    if (UNCOUNTED.test(context.path)) return next()
    const { account, signed_in_by } = context.state
    if (signed_in_by === 'session' || account.operator) {
      spend(context, sessionLimit, await countSession(String(account.user_id)))
      return next()
    }
    const who = `${account.user_id}.${account.unlocks}`
    const abuse = conducts.enter(who, signatureOf(context))
    try {
      if (abuse !== null) {
        const locked = await lockAccount(accounts, occasionOf(context, clock), abuse)
        log.warn({ user_id: account.user_id, reason: abuse }, 'account.locked')
        throw accountLocked(locked)
      }
      await next()
    } finally {
      conducts.leave(who)
    }
  }
}
