/**
 * Counters that several processes share to the call: one statement in Postgres a call, none for who is over already. While
 * Postgres is gone each process counts by itself.
 */
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Queryable } from '../database/database.ts'
import type { CounterFor } from '../http/middleware/rate-limits.ts'

/** A database that has not answered by then counts as gone (milliseconds). */
const PATIENCE_MS = 1_000

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/** As the library asks for it. */
const asClient = (database: Queryable) => ({
  query: ({ name, text, values }: Statement) =>
    new Promise<{ rows: unknown[] }>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the rate limit counters do not respond')), PATIENCE_MS)
      database
        .query(text, values, name)
        .then((rows) => resolve({ rows }), reject)
        .finally(() => clearTimeout(late))
    }),
})

export const exactCounters = (database: Queryable): CounterFor => {
  const storeClient = asClient(database)
  return (name, { requests, seconds }) => {
    const limiter = new RateLimiterPostgres({
      storeClient,
      storeType: 'client',
      schemaName: 'ops',
      tableName: 'rate_limit',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: requests,
      duration: seconds,
      inMemoryBlockOnConsumed: requests + 1,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points: requests, duration: seconds }),
    })
    const count = async (caller: string, points = 1) => {
      try {
        const { consumedPoints, msBeforeNext } = await limiter.consume(caller, points)
        return { calls: consumedPoints, endsInMs: msBeforeNext }
      } catch (over) {
        if (over instanceof RateLimiterRes) return { calls: requests + 1, endsInMs: over.msBeforeNext }
        throw over
      }
    }
    const undo = async (caller: string) => void (await limiter.reward(caller, 1))
    return Object.assign(count, { undo })
  }
}
