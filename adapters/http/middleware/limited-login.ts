// Tests: tests/attack/limits-of-strangers.test.ts
/**
 * The second limit of the login (decisions, "Rate limits"): per account, over all addresses. After 100 failed logins in an hour, only
 * addresses from which that account has logged in before may log in. This stops guessing without locking out the owner. An email without
 * an account is counted in the same way, so the limit does not reveal which emails have an account.
 */
import { createHmac } from 'node:crypto'
import { normalEmail } from '../../../domain/account/access.ts'
import { Refused } from '../../../domain/errors.ts'
import { logIn, type LoggedIn, type LoggingIn } from '../../../workflows/accounts/access.ts'
import { openLoginAddresses } from '../../postgres/ops/login-addresses.ts'
import { callerIn } from './caller.ts'
import type { ApiContext } from '../context.ts'
import type { ApiParts } from '../parts.ts'
import { spend, type RateLimit } from './rate-limits.ts'

const FAILED: RateLimit = { requests: 100, seconds: 3_600 }

/** Errors that are thrown only if the password was right. */
const RIGHT_PASSWORD = new Set(['EMAIL_NOT_VERIFIED', 'ACCOUNT_LOCKED'])

type Parts = Pick<ApiParts, 'accounts' | 'store' | 'passwords' | 'clock' | 'counters' | 'database' | 'log' | 'settings'>

export interface LimitedLogin {
  /** @throws {Refused} RATE_LIMITED, and what `logIn` throws */
  logIn(context: ApiContext, given: LoggingIn): Promise<LoggedIn>
  /** Records that the account's owner used this address, so the account may log in from it. */
  remember(context: ApiContext, account: { user_id: number; email: string }): Promise<void>
}

export const limitedLogin = (parts: Parts): LimitedLogin => {
  const { counters, database, log, settings } = parts
  const addresses = openLoginAddresses(database.of(null), settings.jwtSecret)
  const failures = counters.exact('login_account', FAILED)

  /** Keyed, because an email is easily guessed from a plain hash. */
  const accountOf = (email: string): string =>
    createHmac('sha256', settings.jwtSecret)
      .update(`failed:${normalEmail(email)}`)
      .digest('base64url')

  // If Postgres does not respond, every address counts as known, so an outage does not lock out the owner.
  const knows = (email: string, address: string) => addresses.knows(email, address).catch(() => true)

  const remember: LimitedLogin['remember'] = (context, { user_id, email }) =>
    addresses.remember(user_id, email, callerIn(context)).catch((error: unknown) => {
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
      // Counted before the hash is computed, so parallel guesses cannot bypass the limit.
      const used = await failures(account)
      // The response keeps the headers of the address's limit until this limit is exceeded.
      if (used.calls > FAILED.requests && !(await isKnown)) spend(context, FAILED, used)
      const succeeded = async () => {
        if (used.calls <= FAILED.requests) await failures.undo(account)
      }
      try {
        const loggedIn = await logIn(parts, given, caller)
        await succeeded()
        // Only a new address must be written before the response.
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
