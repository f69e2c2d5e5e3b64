/**
 * A clock for deadlines that goes only while this process does. On a machine with far too much to do, or after a freeze, timers
 * run out before the answers that came meanwhile are read: a deadline by the wall's clock would then blame the server.
 */
import { waitUnlessAborted } from '../../workflows/support/abort.ts'

const LOOK_EVERY_MS = 200
/** More between two looks is time in which nothing ran here. */
const LONGEST_LOOK_MS = 500

let ran = 0
let lookedAt = performance.now()

/** Milliseconds, from any beginning. */
export const awakeNow = (): number => {
  const now = performance.now()
  ran += Math.min(now - lookedAt, LONGEST_LOOK_MS)
  lookedAt = now
  return ran
}

setInterval(awakeNow, LOOK_EVERY_MS).unref()

/** Resolves when this process has run for so long, or the signal aborts. */
export const awakeFor = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  const end = awakeNow() + milliseconds
  for (let left = milliseconds; left > 0 && !signal.aborted; left = end - awakeNow())
    await waitUnlessAborted(left, signal)
}
