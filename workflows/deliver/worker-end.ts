// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Ends a worker within ten seconds. Waiting deliveries are let go. Calls under way have seven seconds and are then cut
 * off. Their results are recorded, and a sign-off frees the claims for other workers. A server that is away must not
 * keep the process running: without a sign-off, the other workers find out by themselves.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { endedWithin } from '../support/ended-within.ts'
import type { Recorder } from './recorder.ts'

/**
 * Milliseconds. Calls still open this long after the stop are cut off, and their results must be recorded by the second
 * limit.
 */
const CUT_OFF_AFTER = 7_000
const GIVE_UP_AFTER = 9_000
const LAST_WORDS = 900

export interface WorkerEnd {
  release: () => void
  /** Claims the first attempts from the log, so that the next worker need not wait for the queue. */
  claimRest: () => Promise<void>
  inFlight: () => number
  cutOff: () => void
  recorder: Pick<Recorder, 'end' | 'giveUp'>
  /** Sends the remaining updates about endpoints. */
  endUpdates: () => Promise<void>
  signOff: () => Promise<void>
  /** They end by themselves, soon after a stop. */
  loops: Promise<unknown>
  onError: (error: unknown) => void
  /** Milliseconds. Only tests set another value. */
  cutOffAfter?: number | undefined
}

export const endWorker = async (worker: WorkerEnd): Promise<void> => {
  const { recorder, onError } = worker
  const cutting = setTimeout(worker.cutOff, worker.cutOffAfter ?? CUT_OFF_AFTER)
  const givingUp = setTimeout(() => recorder.giveUp(), GIVE_UP_AFTER)
  worker.release()
  const claimingRest = worker.claimRest().catch(onError)
  while (worker.inFlight() > 0) await pause(10)
  await recorder.end().catch(onError)
  await endedWithin(LAST_WORDS, worker.endUpdates().catch(onError))
  await endedWithin(LAST_WORDS, claimingRest)
  clearTimeout(cutting)
  clearTimeout(givingUp)
  await endedWithin(
    LAST_WORDS,
    worker.signOff().then(() => worker.loops, onError),
  )
}
