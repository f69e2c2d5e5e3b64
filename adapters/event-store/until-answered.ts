// Tests: tests/unit/adapters/event-store/outage.test.ts
/**
 * Retries calls while the server does not answer. After a lost connection or a timeout, or while the server starts or stops,
 * the outcome of a call is unknown. All calls of the stores are safe to repeat (appends by their event ids). So they are
 * repeated until the caller's deadline.
 */
import { DiskFull, StoreUnavailable } from '../../domain/errors.ts'
import { retry } from '../../workflows/support/retry.ts'
import { awakeNow } from '../system/awake.ts'
import { isDiskFull } from '../system/disk.ts'
import type { History } from './history.ts'

/** Pauses between attempts to reach the store. */
export const BACK_OFF = { firstMs: 20, mostMs: 1_000 }

export interface Patience {
  /** Whether an error means that the server did not answer, and not that it refused. */
  isOutage: (error: unknown) => boolean
  /** How long to retry from now, in milliseconds. Only time while this process runs counts. */
  deadlineMs: number
  /** Aborts when the store is closed. After that, nothing is retried. */
  closing: AbortSignal
}

/** `untilAnswered` with its patience given. */
export type Answered = <Result>(attempt: () => Promise<Result>) => Promise<Result>

/** Calls fail at once if the store is known to have gone back. */
export const answeredBy =
  (history: History, patience: Patience): Answered =>
  async (attempt) => {
    history.check()
    return untilAnswered(attempt, patience)
  }

/**
 * Retries while the server is unavailable.
 * @throws {DiskFull} at once · {StoreUnavailable} after the deadline, or if the store is closed first · an error with which the server refused, at
 *   once
 */
export const untilAnswered = async <Result>(
  attempt: () => Promise<Result>,
  { isOutage, deadlineMs, closing }: Patience,
): Promise<Result> => {
  const deadline = awakeNow() + deadlineMs
  const left = () => deadline - awakeNow()
  const unavailable = (cause?: unknown) => new StoreUnavailable('the event store does not respond', { cause })
  const onFailure = (error: unknown): void => {
    // A full disk stays full for longer than any caller waits.
    if (isDiskFull(error)) throw new DiskFull(error)
    if (!isOutage(error)) throw error
    if (left() <= 0 || closing.aborted) throw unavailable(error)
  }
  let answer: { result: Result } | undefined
  const answered = async () => {
    answer = { result: await attempt() }
  }
  // After the store is closed, a call still makes one attempt.
  if (closing.aborted) await answered().catch(onFailure)
  else await retry(answered, { signal: closing, backOff: BACK_OFF, mostPauseMs: () => Math.max(0, left()), onFailure })
  if (!answer) throw unavailable()
  return answer.result
}
