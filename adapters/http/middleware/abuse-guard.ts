// Tests: tests/integration/http/abuse.test.ts
/**
 * Locks an account that makes too many calls (interface, section 5). The call that exceeds the limit is itself refused. Calls with the
 * dashboard's session never lock the account, because an owner who presses reload must not lose it. Calls of the operator never lock
 * either, since nobody else could unlock that account. Both receive 429 if they exceed the same hourly limit.
 */
import { accountLocked, lock } from '../../../domain/account/access.ts'
import { sha256 } from '../../../domain/sha256.ts'
import { occasionOf, type ApiContext, type ApiMiddleware } from '../context.ts'
import type { ApiParts } from '../parts.ts'
import { mostOpen } from './most-open.ts'
import { rawQueryOf } from './query-string.ts'
import { spend } from './rate-limits.ts'

/** These are not counted: a stream is one long request, and clients are meant to poll a job's progress. */
const UNCOUNTED = /^\/api\/(stream|jobs)(\/|$)/

const HOUR_S = 3_600

/** Most open requests of an account in this process. An answer may have 5 MB. */
const MOST_OPEN = 50

/** Equal GET requests (same path and query) have the same signature. It is a hash, since a query may contain the API key. */
const signatureOf = (context: ApiContext): string =>
  context.method === 'GET' ? sha256(`${context.path}?${rawQueryOf(context)}`, 'base64url') : ''

type GuardParts = Pick<ApiParts, 'accounts' | 'clock' | 'usage' | 'counters' | 'log' | 'settings'>

/** Runs after authentication. @throws {Refused} ACCOUNT_LOCKED, RATE_LIMITED · {StoreUnavailable} */
export const abuseGuard = ({ accounts, clock, usage, counters, log, settings }: GuardParts): ApiMiddleware => {
  if (settings.rateLimits === 'off') return (_context, next) => next()
  const sessionLimit = { requests: settings.abusePerHour, seconds: HOUR_S }
  const countSession = counters.hot('session', sessionLimit)
  const enter = mostOpen(MOST_OPEN, 'Too many requests are open. Read their answers first')

  return async (context, next) => {
    if (UNCOUNTED.test(context.path)) return next()
    const { account, signed_in_by } = context.state
    if (signed_in_by === 'session' || account.operator) {
      spend(context, sessionLimit, await countSession(String(account.user_id)))
      enter(context)
      return next()
    }
    const who = `${account.user_id}.${account.unlocks}`
    const abuse = usage.enter(who, signatureOf(context))
    try {
      if (abuse !== null) {
        const changed = await accounts.change(occasionOf(context, clock), (present) => lock(present, abuse))
        log.warn({ user_id: account.user_id, reason: abuse }, 'account.locked')
        throw accountLocked(changed.account)
      }
      enter(context)
      await next()
    } finally {
      usage.leave(who)
    }
  }
}
