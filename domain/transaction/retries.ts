// Tests: tests/unit/domain/transaction/retry.test.ts
/** The manual retries of a transaction within a day, which begins with the first of them. */
import { DAY_MS } from '../time.ts'

export interface Retries {
  /** ISO 8601 UTC. */
  since: string
  count: number
  /** Time of the last one. */
  last: string
}

/** @returns the retries of the day to which this moment belongs */
export const retriesAt = (retries: Retries | null, at: Date): number =>
  retries !== null && at.getTime() - Date.parse(retries.since) < DAY_MS ? retries.count : 0

/**
 * @param at  of one more retry, ISO 8601 UTC
 * @param isPart  whether it may be the second event of a retry: of what waits, after what has failed
 */
export const withRetry = (retries: Retries | null, at: string, isPart = false): Retries => {
  if (isPart && retries?.last === at) return retries
  const count = retriesAt(retries, new Date(at))
  return count === 0 ? { since: at, count: 1, last: at } : { since: retries!.since, count: count + 1, last: at }
}
