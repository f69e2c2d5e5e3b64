/**
 * When the server does not answer. A lost connection, a timeout or a server that is starting or stopping leaves the outcome
 * of a call unknown; the store's calls can all be sent again (appends by their event ids), so that is what is done until
 * the caller's deadline.
 */
import { StoreUnavailable } from '../../../domain/errors.ts'
import { waitUnlessAborted } from './abort.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/**
 * Classes of SQLSTATE that say nothing about the statement itself: connection lost (08), not writable at the moment (25: a
 * standby), deadlock and the like (40), out of room or connections (53), locks (55), stopped, starting, cancelled (57),
 * disk errors (58).
 */
const PASSING = new Set(['08', '25', '40', '53', '55', '57', '58'])

/** Whether an error means "no answer" rather than "no". */
export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false
  // The server's own errors carry a severity; everything else comes from the connection.
  if (!('severity' in error)) return true
  return 'code' in error && typeof error.code === 'string' && PASSING.has(error.code.slice(0, 2))
}

/** How long to wait before try number `tries` (from 0) is followed by the next: doubling, with jitter. Milliseconds. */
export const backOff = (tries: number, longest = LONGEST_PAUSE_MS): number =>
  Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.min(tries, 20)) * (0.5 + Math.random() / 2)

/**
 * Tries again while the server is away.
 * @param deadlineMs  how long, from now
 * @throws {StoreUnavailable} when that has passed, or the store is closed meanwhile · what the server refused, at once
 */
export const untilAnswered = async <Result>(
  attempt: () => Promise<Result>,
  deadlineMs: number,
  closing: AbortSignal,
): Promise<Result> => {
  const deadline = performance.now() + deadlineMs
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isOutage(error)) throw error
      const left = deadline - performance.now()
      if (left <= 0 || closing.aborted) throw new StoreUnavailable('the event store does not answer', { cause: error })
      await waitUnlessAborted(Math.min(backOff(tries), left), closing)
    }
  }
}
