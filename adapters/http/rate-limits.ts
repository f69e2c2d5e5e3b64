/**
 * Fixed windows per caller (interface, section 8). Every call counts, before anything of it is looked at. Counters are in
 * this process's memory; where they are is `counterFor`'s to say.
 */
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible'
import { Refused } from '../../domain/errors.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'
import type { Part } from './openapi/operation.ts'

export interface RateLimit {
  /** Requests in one window. */
  requests: number
  /** Length of the window, in seconds. */
  seconds: number
}

export type RateLimitName = 'login' | 'receive' | 'demo'

/** A step for each name; names share their counters. */
export type Limited = (name: RateLimitName) => Part

/** Makes the counter behind a limit. */
export type CounterFor = (name: string, limit: RateLimit) => RateLimiterAbstract

const inMemory: CounterFor = (name, { requests, seconds }) =>
  new RateLimiterMemory({ keyPrefix: name, points: requests, duration: seconds })

const unlimited: Part = { refuses: ['RATE_LIMITED'] }

const byAddress = (context: ApiContext): string => context.ip

/**
 * @param limits  `off` lets everything through
 */
export const rateLimits = (
  limits: 'off' | Readonly<Record<RateLimitName, RateLimit>>,
  counterFor: CounterFor = inMemory,
): Limited => {
  if (limits === 'off') return () => unlimited
  const steps = new Map<RateLimitName, ApiMiddleware>()
  const step = (name: RateLimitName): ApiMiddleware => {
    const limit = limits[name]
    const counter = counterFor(name, limit)
    return async (context, next) => {
      const used = await counter.consume(byAddress(context)).catch((over: unknown) => {
        if (over instanceof RateLimiterRes) return over
        throw over
      })
      const seconds = Math.ceil(used.msBeforeNext / 1000)
      context.set('RateLimit-Limit', String(limit.requests))
      context.set('RateLimit-Remaining', String(Math.max(0, used.remainingPoints)))
      context.set('RateLimit-Reset', String(seconds))
      if (used.consumedPoints > limit.requests) {
        context.set('Retry-After', String(seconds))
        throw new Refused('RATE_LIMITED', `Too many requests: try again in ${seconds} s.`)
      }
      await next()
    }
  }
  return (name) => {
    if (!steps.has(name)) steps.set(name, step(name))
    return { ...unlimited, step: steps.get(name)! }
  }
}
