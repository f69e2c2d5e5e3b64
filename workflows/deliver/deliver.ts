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
 * Captures of this process are claimed during their append (`new-attempts.ts`).
 *
 * A worker claims an attempt before it makes it. An attempt from the queue or from a dead worker is also checked
 * against its stream. Other workers leave a claim alone until its worker is dead, so only one worker makes each call.
 */
import { randomUUID } from 'node:crypto'
import { StoreWentBack } from '../../domain/errors.ts'
import type { LogEntry } from '../../domain/ports.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { untilAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import { AttemptedBefore } from './attempted-before.ts'
import { openCalls, type Calls } from './calls.ts'
import { BEAT_EVERY, openHeartbeat } from './heartbeat.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import type { Lanes } from './lanes.ts'
import { openSources, type Sources } from './sources.ts'
import { areReadModelsLevel, openTakeover } from './takeover.ts'
import { TrackedTransactions } from './tracked.ts'
import { endWorker } from './worker-end.ts'

/** Consumer group of the log. */
export const GROUP = 'delivery'

/**
 * From this many first attempts that wait for their turn, or results that wait to be recorded, delivery is busy. Fewer
 * pass through in a moment.
 */
const BUSY_FROM = 100

/** Milliseconds that a sweep waits for the read models. A claim whose delivery they do not have yet must not be swept. */
const SWEEP_WITHIN = 30_000

export interface Delivery {
  /** The name under which it makes claims. */
  worker: string
  /** Calls of each lane in this process. */
  use: Lanes['use']
  /** Whether many first attempts wait for their turn, or many results wait to be recorded. */
  isBusy(): boolean
  /** This process is about to append these new transactions. Their first attempts are claimed meanwhile, if the log has their data. */
  claimAhead(captured: readonly TransactionEventData['TransactionCaptured'][]): void
  /** Delivers until the signal aborts or `stop` is called; resolves when it has stopped. */
  run(signal: AbortSignal): Promise<void>
  /**
   * Makes no new claims. Calls that are still open after 7 s are cut off, recorded and left to the schedule. Then it
   * signs off. All within 10 s.
   */
  stop(): Promise<void>
}

export const openDelivery = (options: DeliveryOptions): Delivery => {
  const { store, log, queue, soleWorker = false, beatEvery: every = BEAT_EVERY, onError = () => {} } = options
  const worker = randomUUID()
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  const maySweep = () => areReadModelsLevel(options, SWEEP_WITHIN)
  const heartbeat = openHeartbeat({ queue, worker, soleWorker, every, maySweep })
  const before = new AttemptedBefore(store)
  const isFirst = (entry: LogEntry): boolean => before.isFirst(entry)
  const shared = { options, worker, heartbeat, tracked: new TrackedTransactions(), stopping: stopped, isFirst }
  const calls = openCalls({ ...shared, demand: () => sources })
  const sources: Sources = openSources({ ...shared, calls })
  const takeover = openTakeover({ ...shared, sources })
  const { lanes, claimedJobs, recorder } = calls
  const { firstAttempts, newAttempts, dueRows } = sources

  let mayHaveLost = false
  const beat = async (): Promise<void> => {
    const { wasSilent, isNew } = await heartbeat.beat()
    mayHaveLost ||= wasSilent
    // Calls begin only after the check, and a check that failed is made again.
    if (mayHaveLost) {
      lanes.hold()
      await claimedJobs.releaseLost()
      mayHaveLost = false
    }
    lanes.resume()
    firstAttempts.wake()
    void takeover.fromDead().catch(onError)
    await before.beaten(isNew)
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return
    signal.addEventListener('abort', () => stopping.abort(signal.reason), { once: true })
    await retry(beat, { signal: stopped, onFailure: onError })
    const loops = [
      takeover
        .start()
        .catch(onError)
        .then(() => dueRows.run(stopped)),
      firstAttempts.run(stopped),
      heartbeat.run(beat, stopped, onError),
      log.consume(GROUP, sources.takeFromLog, stopped).catch(onError),
    ]
    await untilAborted(stopped)
    await end(options, worker, calls, sources, { loops, hasStoreGoneBack: stopped.reason instanceof StoreWentBack })
  }

  let running: Promise<void> | null = null

  return {
    worker,
    use: () => lanes.use(),
    isBusy: () => firstAttempts.noted + lanes.first.waiting + recorder.backlog() >= BUSY_FROM,
    claimAhead: (captured) => {
      if (!stopped.aborted && before.isKnown) newAttempts.claimAhead(captured)
    },
    run: (signal) => (running ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** After the stop. Results of calls that were decided on events that no longer exist cannot be recorded. */
const end = (
  { queue, onError = () => {}, cutOffAfter }: DeliveryOptions,
  worker: string,
  { claimedJobs, recorder, lanes, cutOff, endpoints }: Calls,
  { firstAttempts, newAttempts }: Sources,
  { loops, hasStoreGoneBack }: { loops: readonly Promise<void>[]; hasStoreGoneBack: boolean },
): Promise<void> => {
  if (hasStoreGoneBack) recorder.giveUp()
  return endWorker({
    release: () => claimedJobs.release(),
    claimRest: async () => {
      if (hasStoreGoneBack) return
      await firstAttempts.claimRest()
      await newAttempts.giveBackUnused()
    },
    inFlight: () => lanes.inFlight,
    cutOff,
    recorder,
    endUpdates: () => endpoints.end(),
    signOff: () => queue.signOff(worker),
    loops: Promise.allSettled(loops),
    onError,
    cutOffAfter: hasStoreGoneBack ? 0 : cutOffAfter,
  })
}
