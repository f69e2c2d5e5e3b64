// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Delivery: every transaction is sent to each of its rules' endpoints until the endpoint answers (section 6 of the
 * interface).
 *
 *     sources.ts                         calls.ts
 *     log ──► first attempts ─┐
 *                             ├─► claim ─► lanes ─► sender ─► recorder ──► event store
 *     queue ─► due rows ──────┘
 *
 * A worker claims an attempt before it makes it. An attempt from the queue or from a dead worker is also checked
 * against its stream. No other worker touches a claim until its worker is dead, so only one worker makes each call.
 */
import { randomUUID } from 'node:crypto'
import { untilAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import { openCalls } from './calls.ts'
import { BEAT_EVERY, Heartbeat } from './heartbeat.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import type { Lanes } from './lanes.ts'
import { openSources, type Sources } from './sources.ts'
import { TrackedTransactions } from './tracked.ts'
import { endWorker } from './worker-end.ts'

/** Consumer group of the log. */
export const GROUP = 'delivery'

/**
 * From this many first attempts that wait for their turn, or results that wait to be recorded, delivery is busy. Fewer
 * pass through in a moment.
 */
const BUSY_FROM = 100

export interface Delivery {
  /** The name under which it makes claims. */
  worker: string
  /** Calls of each lane in this process. */
  use: Lanes['use']
  /** Whether many first attempts wait for their turn, or many results wait to be recorded. */
  isBusy(): boolean
  /** Delivers until the signal aborts or `stop` is called; resolves when it has stopped. */
  run(signal: AbortSignal): Promise<void>
  /**
   * Makes no new claims. Calls that are still open after 7 s are cut off, recorded and left to the schedule. Then it
   * says goodbye. All within 10 s.
   */
  stop(): Promise<void>
}

export const openDelivery = (options: DeliveryOptions): Delivery => {
  const { store, log, queue, readModels, soleWorker = false, beatEvery: every = BEAT_EVERY } = options
  const { onClaimsOpen = () => {}, onError = () => {} } = options

  const worker = randomUUID()
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  const heartbeat = new Heartbeat({ queue, worker, soleWorker, every })
  const shared = { options, worker, heartbeat, tracked: new TrackedTransactions(), stopping: stopped }
  const calls = openCalls({ ...shared, demand: () => sources })
  const sources: Sources = openSources({ ...shared, calls })
  const { lanes, claimedJobs, recorder, endpoints } = calls
  const { firstAttempts, dueRows } = sources

  const beat = async (): Promise<void> => {
    const { wasSilent } = await heartbeat.beat()
    if (wasSilent) await claimedJobs.releaseLost()
    lanes.resume()
    firstAttempts.wake()
    if (heartbeat.dead.length > 0) dueRows.takeOverSoon()
  }

  /**
   * Runs before anything else in an embedded database: counts the calls that the last run may have made without
   * recording them.
   */
  const countClaimsOpen = async (): Promise<void> => {
    const end = await retry(() => store.end(), { signal: stopped, onFailure: onError })
    while (end && !stopped.aborted && !(await readModels.passed(end, 1_000)));
    if (!stopped.aborted) onClaimsOpen(await queue.countOpen(worker))
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return
    signal.addEventListener('abort', () => stopping.abort(), { once: true })
    await retry(beat, { signal: stopped, onFailure: onError })
    const loops = [
      (soleWorker ? countClaimsOpen() : Promise.resolve()).catch(onError).then(() => dueRows.run(stopped)),
      firstAttempts.run(stopped),
      heartbeat.run(beat, stopped, onError),
      log.consume(GROUP, sources.takeFromLog, stopped),
    ]
    await untilAborted(stopped)
    await endWorker({
      release: () => claimedJobs.release(),
      claimRest: () => firstAttempts.claimRest(),
      inFlight: () => lanes.inFlight,
      cutOff: calls.cutOff,
      recorder,
      endUpdates: () => endpoints.end(),
      signOff: () => queue.signOff(worker),
      loops: Promise.allSettled(loops),
      onError,
      cutOffAfter: options.cutOffAfter,
    })
  }

  let running: Promise<void> | null = null

  return {
    worker,
    use: () => lanes.use(),
    isBusy: () => firstAttempts.noted + lanes.first.waiting + recorder.backlog >= BUSY_FROM,
    run: (signal) => (running ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
