/**
 * The login's second limit (decisions, "Rate limits"): by account, over all addresses. After 100 failed logins in an hour it lets
 * in only addresses from which that account has logged in before, so that guesses end and the owner is not shut out. An e-mail
 * without an account is counted in the same way, so that the limit does not tell which e-mails have one.
 */
import { createHmac } from 'node:crypto'
import { normalEmail } from '../../../domain/account/access.ts'
import { Refused } from '../../../domain/errors.ts'
import { logIn, type LoggedIn, type LoggingIn } from '../../../workflows/accounts/access.ts'
import { openLoginPlaces } from '../../postgres/ops/login-addresses.ts'
import { callerIn } from './caller.ts'
import type { ApiContext } from '../context.ts'
import type { ApiParts } from '../parts.ts'
import { spend, type RateLimit } from './rate-limits.ts'

const FAILED: RateLimit = { requests: 100, seconds: 3_600 }

/** After these the password was right. */
const RIGHT_PASSWORD = new Set(['EMAIL_NOT_VERIFIED', 'ACCOUNT_LOCKED'])

type Parts = Pick<ApiParts, 'accounts' | 'store' | 'passwords' | 'clock' | 'counters' | 'database' | 'log' | 'settings'>

export interface LimitedLogin {
  /** @throws {Refused} RATE_LIMITED, and what `logIn` throws */
  logIn(context: ApiContext, given: LoggingIn): Promise<LoggedIn>
  /** The account's owner was at this address: it may log in from there. */
  remember(context: ApiContext, account: { user_id: number; email: string }): Promise<void>
}

export const limitedLogin = (parts: Parts): LimitedLogin => {
  const { counters, database, log, settings } = parts
  const places = openLoginPlaces(database, settings.jwtSecret)
  const failures = counters.exact('login_account', FAILED)

  /** Keyed, as an e-mail is easily guessed from a plain hash. */
  const accountOf = (email: string): string =>
    createHmac('sha256', settings.jwtSecret)
      .update(`failed:${normalEmail(email)}`)
      .digest('base64url')

  // Without Postgres every place is known: an owner is not shut out by a database that is away.
  const knows = (email: string, address: string) => places.knows(email, address).catch(() => true)

  const remember: LimitedLogin['remember'] = (context, { user_id, email }) =>
    places.remember(user_id, email, callerIn(context)).catch((error: unknown) => {
      log.warn({ user_id, reason: (error as Error).message }, 'login.place_not_kept')
    })

  return {
    remember,
    logIn: async (context, given) => {
      const address = callerIn(context)
      const isKnown = knows(given.email, address)
      const caller = { address, isKnown }
      if (settings.rateLimits === 'off') return logIn(parts, given, caller)
      const account = accountOf(given.email)
      // Counted before the hash is computed, so that parallel guesses do not slip through.
      const used = await failures(account)
      // The answer's headers stay those of the address's limit until this one is over.
      if (used.calls > FAILED.requests && !(await isKnown)) spend(context, FAILED, used)
      const succeeded = async () => {
        if (used.calls <= FAILED.requests) await failures.undo(account)
      }
      try {
        const loggedIn = await logIn(parts, given, caller)
        await succeeded()
        // That it was used again may be written later.
        const remembered = remember(context, loggedIn.account)
        if (!(await isKnown)) await remembered
        return loggedIn
      } catch (error) {
        if (!(error instanceof Refused) || RIGHT_PASSWORD.has(error.code)) await succeeded()
        throw error
      }
    },
  }
}
