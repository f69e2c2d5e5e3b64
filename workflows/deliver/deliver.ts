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
import type { Checkpoint, LogEntry } from '../../domain/ports.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { untilAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import { openCalls } from './calls.ts'
import { BEAT_EVERY, openHeartbeat } from './heartbeat.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import type { Lanes } from './lanes.ts'
import { openAnnouncements } from './open-claims.ts'
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

/** Milliseconds that a takeover waits for the read models. */
const LEVEL_WITHIN = 2_000

/** Milliseconds that a sweep waits for them. A claim whose delivery they do not have yet must not be swept. */
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
  const { store, log, queue, readModels, soleWorker = false, beatEvery: every = BEAT_EVERY } = options
  const { onClaimsOpen = () => {}, onError = () => {} } = options

  const worker = randomUUID()
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  const heartbeat = openHeartbeat({
    queue,
    worker,
    soleWorker,
    every,
    maySweep: () => readModelsAreLevel(SWEEP_WITHIN),
  })
  const announcements = openAnnouncements(queue, worker, onClaimsOpen)
  let hasStarted = false
  /** null before the first heartbeat */
  let handled: { upTo: Checkpoint | null } | null = null
  /**
   * Whether no worker can have attempted it before. Attempts at older ones are in the store, but the read models and the claims may have
   * been lost and not yet show them.
   */
  const isFirst = ({ checkpoint }: LogEntry): boolean =>
    handled !== null && (handled.upTo === null || store.isAfter(checkpoint, handled.upTo))
  const shared = { options, worker, heartbeat, tracked: new TrackedTransactions(), stopping: stopped, isFirst }
  const calls = openCalls({ ...shared, demand: () => sources })
  const sources: Sources = openSources({ ...shared, calls })
  const { lanes, claimedJobs, recorder, endpoints } = calls
  const { firstAttempts, newAttempts, dueRows } = sources

  /** Whether everything that is in the store now is in the read models within this time, milliseconds. */
  const readModelsAreLevel = async (within: number): Promise<boolean> => {
    const end = await store.end()
    return end === null || readModels.passed(end, within)
  }

  let isTakingOver = false
  /**
   * Claims are counted before they are taken over. They may be older than their rows in the read models, so a new takeover waits
   * for these for a while. Claims that come even later are taken over after one of the next heartbeats.
   */
  const takeOverFromDead = async (): Promise<void> => {
    const dead = heartbeat.dead()
    if (isTakingOver) return
    isTakingOver = true
    try {
      if (hasStarted && !announcements.hasAll(dead)) await readModelsAreLevel(LEVEL_WITHIN).catch(onError)
      if (hasStarted && !stopped.aborted) await announcements.takeover(dead).catch(onError)
    } finally {
      isTakingOver = false
    }
    if (dead.length > 0 || sources.mayFindLost()) dueRows.takeOverSoon()
  }

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
    void takeOverFromDead().catch(onError)
    if (isNew) handled = null
    handled ??= { upTo: await store.end() }
  }

  /**
   * In an embedded database all other workers are dead, and this runs before anything else: it waits for results that the last
   * run recorded.
   */
  const announceStart = async (): Promise<void> => {
    if (soleWorker) {
      const end = await retry(() => store.end(), { signal: stopped, onFailure: onError })
      while (end && !stopped.aborted && !(await readModels.passed(end, 1_000)));
    }
    hasStarted = true
    if (!stopped.aborted) await announcements.start(heartbeat.dead())
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return
    signal.addEventListener('abort', () => stopping.abort(signal.reason), { once: true })
    await retry(beat, { signal: stopped, onFailure: onError })
    const loops = [
      announceStart()
        .catch(onError)
        .then(() => dueRows.run(stopped)),
      firstAttempts.run(stopped),
      heartbeat.run(beat, stopped, onError),
      log.consume(GROUP, sources.takeFromLog, stopped).catch(onError),
    ]
    await untilAborted(stopped)
    // Results of calls that were decided on events that no longer exist cannot be recorded.
    const isLost = stopped.reason instanceof StoreWentBack
    if (isLost) recorder.giveUp()
    await endWorker({
      release: () => claimedJobs.release(),
      claimRest: async () => {
        if (isLost) return
        await firstAttempts.claimRest()
        await newAttempts.giveBackUnused()
      },
      inFlight: () => lanes.inFlight,
      cutOff: calls.cutOff,
      recorder,
      endUpdates: () => endpoints.end(),
      signOff: () => queue.signOff(worker),
      loops: Promise.allSettled(loops),
      onError,
      cutOffAfter: isLost ? 0 : options.cutOffAfter,
    })
  }

  let running: Promise<void> | null = null

  return {
    worker,
    use: () => lanes.use(),
    isBusy: () => firstAttempts.noted + lanes.first.waiting + recorder.backlog() >= BUSY_FROM,
    claimAhead: (captured) => {
      if (!stopped.aborted && handled !== null) newAttempts.claimAhead(captured)
    },
    run: (signal) => (running ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
