/** Tries again for as long as it takes: for work that must not be passed over. */
import { waitUnlessAborted } from './abort.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 5_000

/** @returns what the attempt resolved to, or undefined when the signal aborted before one did */
export const untilDone = async <Result>(
  attempt: () => Promise<Result>,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<Result | undefined> => {
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      onTrouble(error)
      await waitUnlessAborted(wait * (0.5 + Math.random() / 2), signal)
    }
  }
  return undefined
}
