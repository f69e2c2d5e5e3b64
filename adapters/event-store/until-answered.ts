/**
 * When the server does not answer. A lost connection, a timeout or a server that is starting or stopping leaves the outcome
 * of a call unknown; the stores' calls can all be sent again (appends by their event ids), so that is what is done until
 * the caller's deadline.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { awakeNow } from '../system/awake.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

/** How long to wait before try number `tries` (from 0) is followed by the next: doubling, with jitter. Milliseconds. */
export const backOff = (tries: number, longest = LONGEST_PAUSE_MS): number =>
  Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.min(tries, 20)) * (0.5 + Math.random() / 2)

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
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isOutage(error)) throw error
      const left = deadline - awakeNow()
      if (left <= 0 || closing.aborted) throw new StoreUnavailable('the event store does not answer', { cause: error })
      await waitUnlessAborted(Math.min(backOff(tries), left), closing)
    }
  }
}
