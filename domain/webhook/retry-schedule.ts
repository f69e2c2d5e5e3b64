/** When a failed delivery is retried (section 6 of the interface). Pure: the random number is a parameter. */
import { askedToWait } from './endpoint.ts'

/** Seconds before retries 1–6: 1 min, 5 min, 30 min, 2 h, 8 h, 24 h. The setting `RETRY_SCHEDULE` replaces it. */
export const RETRY_SCHEDULE: readonly number[] = [60, 300, 1_800, 7_200, 28_800, 86_400]

/** Time in milliseconds that the log has for a first attempt before the queue takes it over. */
export const LEFT_TO_THE_LOG_MS = 60_000

/** Jitter, so that calls to one endpoint that failed together are not retried together. */
const JITTER = 0.1

export interface FailedTry {
  /** Number of the failed attempt in the current round, from 1. A manual retry begins a new round. */
  tryOfRound: number
  http_status: number
  /** Seconds that the endpoint asked us to wait. Null if it did not. */
  retry_after_s: number | null
}

/**
 * @param random  from 0 to less than 1
 * @returns seconds until the next attempt. Null if the schedule is used up.
 */
export const delayBeforeRetry = (
  schedule: readonly number[],
  { tryOfRound, http_status, retry_after_s }: FailedTry,
  random: number,
): number | null => {
  const planned = schedule[tryOfRound - 1]
  if (planned === undefined) return null
  const jittered = planned * (1 - JITTER + 2 * JITTER * random)
  return Math.max(jittered, askedToWait({ http_status, retry_after_s }) ?? 0)
}

/** Seconds from a delivery's first due time until its whole schedule has passed. After that it makes one last attempt. */
export const wholeSchedule = (schedule: readonly number[]): number =>
  schedule.reduce((total, delay) => total + delay, 0)
