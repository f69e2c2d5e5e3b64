/** When a failed delivery is tried again (section 6 of the interface). Pure: the random number comes in. */
import { askedToWait } from './endpoint.ts'

/** Seconds before retries 1–6: 1 min, 5 min, 30 min, 2 h, 8 h, 24 h. `RETRY_SCHEDULE` puts another in its place. */
export const RETRY_SCHEDULE: readonly number[] = [60, 300, 1_800, 7_200, 28_800, 86_400]

/** How long a first try is left to the log before the queue has it: milliseconds. */
export const LEFT_TO_THE_LOG_MS = 60_000

/** Calls to one endpoint that failed together must not come back together. */
const JITTER = 0.1

export interface FailedTry {
  /** Which try of the present round failed, from 1; a manual retry begins a new round. */
  tryOfRound: number
  http_status: number
  /** Seconds the endpoint asked us to wait, null where it did not. */
  retry_after_s: number | null
}

/**
 * @param random  from 0 up to 1
 * @returns seconds to wait before the next try, or null when the schedule is used up
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

/** Seconds from a delivery's first due time until its whole schedule has passed: after that it makes one last attempt. */
export const wholeSchedule = (schedule: readonly number[]): number =>
  schedule.reduce((total, delay) => total + delay, 0)
