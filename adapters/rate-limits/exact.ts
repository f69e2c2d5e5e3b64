// Tests: tests/integration/rate-limits/counters.test.ts
/**
 * Counters that several processes share exactly: one statement in Postgres per call, and none for a caller that is already
 * over its limit. While Postgres is unavailable, each process counts by itself.
 */
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Queryable } from '../database/database.ts'
import type { CounterFor } from '../http/middleware/rate-limits.ts'

/** Milliseconds. A database that takes longer to answer counts as unavailable. */
const PATIENCE_MS = 1_000

interface Statement {
  name: string
  text: string
  values: unknown[]
}

/** The client interface that the library expects. */
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
