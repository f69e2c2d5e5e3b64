// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * Rate limits with fixed windows per caller (interface, section 8). Every call counts, before any of its content is checked. `CounterFor`
 * decides where the counters are kept.
 */
import { sha256 } from '../../../domain/sha256.ts'
import { normalEmail } from '../../../domain/account/access.ts'
import { Refused } from '../../../domain/errors.ts'
import { callerIn } from './caller.ts'
import type { ApiContext, ApiMiddleware } from '../context.ts'
import { readJson } from './json-body.ts'
import type { Guard } from './guard.ts'

export interface RateLimit {
  /** Requests in one window. */
  requests: number
  /** Length of the window, in seconds. */
  seconds: number
}

/** Calls are counted per address or per signed-in user. Limits on calls without a sign-in may also count per email in the body. */
const COUNTED_BY = {
  login: 'address',
  reset: 'address',
  forgot: 'address',
  register: 'address',
  resend: 'email',
  withdraw: 'user',
  links: 'user',
  bank: 'user',
  receive: 'address',
  demo: 'address',
  inbox: 'address',
} as const

export type RateLimitName = keyof typeof COUNTED_BY
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>

export interface Used {
  /** Calls in this window, including this one. Above the limit the number may be inexact. */
  calls: number
  /** Milliseconds until the window ends. */
  endsInMs: number
}

/** Limits that count only failed calls. */
const ONLY_FAILED: ReadonlySet<RateLimitName> = new Set(['reset'])

export interface Counter {
  /**
   * Counts one more call of a caller, or several points at once. Several points are counted only if all of them fit. Never fails: if the
   * shared counter is unavailable, it counts in this process.
   */
  (caller: string, points?: number): Used | Promise<Used>
  /** Subtracts one call, or several points, that turned out not to count. */
  undo(caller: string, points?: number): void | Promise<void>
}

/** Returns the step for a limit. Routes with the same name share its counters. */
export type Limited = (name: RateLimitName) => Guard

/** Creates the counter of a limit. */
export type CounterFor = (name: string, limit: RateLimit) => Counter

const unlimited: Guard = { refuses: ['RATE_LIMITED'] }

/** A hash of the normalized email in the body, so one mailbox counts as one caller in every spelling; null if there is none. */
const emailIn = async (context: ApiContext): Promise<string | null> => {
  const given = await readJson(context).catch(() => null)
  const email = typeof given === 'object' && given !== null && 'email' in given ? given.email : null
  return typeof email === 'string' ? sha256(normalEmail(email), 'base64url') : null
}

const CALLER: Record<(typeof COUNTED_BY)[RateLimitName], (context: ApiContext) => string | Promise<string>> = {
  address: callerIn,
  user: ({ state }) => String(state.account.user_id),
  email: async (context) => (await emailIn(context)) ?? callerIn(context),
}

/**
 * Writes the remaining budget into the response headers.
 * @param why  the first sentence of the refusal, without its full stop
 * @throws {Refused} RATE_LIMITED
 */
export const spend = (
  context: ApiContext,
  limit: Pick<RateLimit, 'requests'>,
  { calls, endsInMs }: Used,
  why = 'Too many requests',
): void => {
  // The difference of two times of a clock may be a tiny fraction more than the window.
  const seconds = Math.max(1, Math.ceil(Math.round(endsInMs) / 1000))
  context.set('RateLimit-Limit', String(limit.requests))
  context.set('RateLimit-Remaining', String(Math.max(0, limit.requests - calls)))
  context.set('RateLimit-Reset', String(seconds))
  if (calls <= limit.requests) return
  context.set('Retry-After', String(seconds))
  throw new Refused('RATE_LIMITED', `${why}. Try again in ${seconds} s.`)
}

/**
 * @param limits  `off` disables all limits
 * @returns a route step for each name; routes with the same name share its counters. A limit per user must run after `signedIn`
 */
export const rateLimits = (limits: 'off' | RateLimits, counterFor: CounterFor): Limited => {
  if (limits === 'off') return () => unlimited
  const steps = new Map<RateLimitName, ApiMiddleware>()
  const step = (name: RateLimitName): ApiMiddleware => {
    const limit = limits[name]
    const count = counterFor(name, limit)
    const callerOf = CALLER[COUNTED_BY[name]]
    return async (context, next) => {
      const given = callerOf(context)
      const caller = typeof given === 'string' ? given : await given
      const used = count(caller)
      spend(context, limit, used instanceof Promise ? await used : used)
      await next()
      if (ONLY_FAILED.has(name)) await count.undo(caller)
    }
  }
  return (name) => {
    if (!steps.has(name)) steps.set(name, step(name))
    return { ...unlimited, step: steps.get(name)! }
  }
}
