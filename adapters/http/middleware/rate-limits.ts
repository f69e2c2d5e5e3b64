/**
 * Fixed windows per caller (interface, section 8). Every call counts, before anything of it is looked at. Where the counters
 * are is `CounterFor`'s to say.
 */
import { createHash } from 'node:crypto'
import { normalEmail } from '../../../domain/account/access.ts'
import { Refused } from '../../../domain/errors.ts'
import { callerIn } from './caller.ts'
import type { ApiContext, ApiMiddleware } from '../context.ts'
import { readJson } from '../openapi/input.ts'
import type { Part } from '../openapi/operation.ts'

export interface RateLimit {
  /** Requests in one window. */
  requests: number
  /** Length of the window, in seconds. */
  seconds: number
}

/** Whose calls are counted together: those of an address, of who is signed in, or for an e-mail where nobody can be. */
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
  /** Calls in this window, this one included; beyond the limit it may say no more than that. */
  calls: number
  /** Milliseconds until the window ends. */
  endsInMs: number
}

/** Limits that count only calls that fail. */
const ONLY_FAILED: ReadonlySet<RateLimitName> = new Set(['reset'])

export interface Counter {
  /**
   * Counts one more call of a caller, or so many points at once, which are counted only if all of them fit. Never fails: what it
   * cannot share it counts here.
   */
  (caller: string, points?: number): Used | Promise<Used>
  /** Takes one call back: it was none of those that count. */
  undo(caller: string): void | Promise<void>
}

/** A step for each name; names share their counters. */
export type Limited = (name: RateLimitName) => Part

/** Makes the counter behind a limit. */
export type CounterFor = (name: string, limit: RateLimit) => Counter

const unlimited: Part = { refuses: ['RATE_LIMITED'] }

/** One mailbox counts as one, however it is written; what names none is its sender's. */
const emailIn = async (context: ApiContext): Promise<string | null> => {
  const given = await readJson(context).catch(() => null)
  const email = typeof given === 'object' && given !== null && 'email' in given ? given.email : null
  return typeof email === 'string' ? createHash('sha256').update(normalEmail(email)).digest('base64url') : null
}

const CALLER: Record<(typeof COUNTED_BY)[RateLimitName], (context: ApiContext) => string | Promise<string>> = {
  address: callerIn,
  user: ({ state }) => String(state.account.user_id),
  email: async (context) => (await emailIn(context)) ?? callerIn(context),
}

/** Says in the answer how much is left. @throws {Refused} RATE_LIMITED */
export const spend = (context: ApiContext, limit: RateLimit, { calls, endsInMs }: Used): void => {
  const seconds = Math.max(1, Math.ceil(endsInMs / 1000))
  context.set('RateLimit-Limit', String(limit.requests))
  context.set('RateLimit-Remaining', String(Math.max(0, limit.requests - calls)))
  context.set('RateLimit-Reset', String(seconds))
  if (calls <= limit.requests) return
  context.set('Retry-After', String(seconds))
  throw new Refused('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`)
}

/**
 * @param limits  `off` lets everything through
 * @returns a step of a route for each name; names share their counters. One that counts by user stands behind `signedIn`
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
