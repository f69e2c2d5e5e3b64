/**
 * When the server does not answer. A lost connection, a timeout or a server that is starting or stopping leaves the outcome
 * of a call unknown; the stores' calls can all be sent again (appends by their event ids), so that is what is done until
 * the caller's deadline.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import { pauseAfter, retry } from '../../workflows/support/retry.ts'
import { awakeNow } from '../system/awake.ts'

/** Pauses between tries to reach the store. */
export const BACK_OFF = { firstMs: 20, mostMs: 1_000 }

/** How long to wait after so many failures (from 0), milliseconds. */
export const backOff = (failures: number, mostMs = BACK_OFF.mostMs): number =>
  pauseAfter(failures, { ...BACK_OFF, mostMs })

export interface Patience {
  /** Whether an error means "no answer" rather than "no". */
  isOutage: (error: unknown) => boolean
  /** How long to try, from now, while this process runs: milliseconds. */
  deadlineMs: number
  /** Aborts when the store is closed: nothing is tried again then. */
  closing: AbortSignal
}

/**
 * Tries again while the server is away.
 * @throws {StoreUnavailable} when that has passed, or the store is closed meanwhile · what the server refused, at once
 */
export const untilAnswered = async <Result>(
  attempt: () => Promise<Result>,
  { isOutage, deadlineMs, closing }: Patience,
): Promise<Result> => {
  const deadline = awakeNow() + deadlineMs
  const left = () => deadline - awakeNow()
  const unavailable = (cause?: unknown) => new StoreUnavailable('the event store does not respond', { cause })
  const onFailure = (error: unknown): void => {
    if (!isOutage(error)) throw error
    if (left() <= 0 || closing.aborted) throw unavailable(error)
  }
  let answer: { result: Result } | undefined
  const answered = async () => {
    answer = { result: await attempt() }
  }
  // A store that is being closed still makes one attempt.
  if (closing.aborted) await answered().catch(onFailure)
  else await retry(answered, { signal: closing, backOff: BACK_OFF, mostPauseMs: () => Math.max(0, left()), onFailure })
  if (!answer) throw unavailable()
  return answer.result
}
