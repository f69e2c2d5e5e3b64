/** How long a bulk retry of one rule will take. */
import { BULK_CALLS_PER_ENDPOINT } from './lanes.ts'

/** Milliseconds, if the rule has no delivered call. */
const USUAL_MS = 1_000
const MINUTE_S = 60

/**
 * @param count  calls to make
 * @param usualMs  how long a delivered call usually takes, milliseconds
 * @returns seconds, at least 1; it assumes that the endpoint works
 */
export const estimatedSeconds = (
  count: number,
  { max_per_minute, ordered }: { max_per_minute: number | null; ordered: 0 | 1 },
  usualMs = USUAL_MS,
): number => {
  const byCalls = (count * usualMs) / 1_000 / (ordered === 1 ? 1 : BULK_CALLS_PER_ENDPOINT)
  const byLimit = max_per_minute === null ? 0 : (count * MINUTE_S) / max_per_minute
  return Math.max(1, Math.ceil(Math.max(byCalls, byLimit)))
}
