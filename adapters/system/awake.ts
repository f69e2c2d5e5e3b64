/**
 * A clock for deadlines that advances only while this process runs. On an overloaded machine, or after a freeze, timers
 * expire before answers that arrived meanwhile are read. A deadline by wall-clock time would then blame the server.
 */
import { waitUnlessAborted } from '../../workflows/support/abort.ts'

const LOOK_EVERY_MS = 200
/** A longer interval between two checks means that nothing ran here in between. */
const LONGEST_LOOK_MS = 500

let ran = 0
let lookedAt = performance.now()

/** Milliseconds since an arbitrary start. */
export const awakeNow = (): number => {
  const now = performance.now()
  ran += Math.min(now - lookedAt, LONGEST_LOOK_MS)
  lookedAt = now
  return ran
}

setInterval(awakeNow, LOOK_EVERY_MS).unref()

/** Resolves when this process has run for this long, or when the signal aborts. */
export const awakeFor = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  const end = awakeNow() + milliseconds
  for (let left = milliseconds; left > 0 && !signal.aborted; left = end - awakeNow())
    await waitUnlessAborted(left, signal)
}
