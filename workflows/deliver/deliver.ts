// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Delivery: every transaction is sent to each of its rules' endpoints until the endpoint answers (section 6 of the
 * interface).
 *
 *     log ──► first attempts ─┐                                        ┌─► recorder ──► event store
 *                             ├─► claim ─► lanes ─► sender ─► outcome ─┘
 *     queue ─► due rows ──────┘
 *
 * A worker claims an attempt before it makes it. An attempt from the queue or from a dead worker is also checked
 * against its stream. No other worker touches a claim until its worker is dead, so only one worker makes each call.
 */
import { randomUUID } from 'node:crypto'
import type { EventStore, Ids, Log, LogEntry, ReadModels, Sender, Vault } from '../../domain/ports.ts'
import { retry } from '../support/retry.ts'
import { attempts, type AttemptTold } from './attempts.ts'
import { Claims } from './claims.ts'
import { DueRows } from './due-rows.ts'
import { Endpoints } from './endpoints.ts'
import { FirstTries } from './first-tries.ts'
import { BEAT_EVERY, Heartbeat } from './heartbeat.ts'
import { InHand } from './in-hand.ts'
import type { LaneLimits } from './lane.ts'
import { Lanes } from './lanes.ts'
import { NO_ROOM, type DeliveryQueue, type LaneName } from './queue.ts'
import { Recorder } from './recorder.ts'
import { SecretCache } from './secret-cache.ts'
import { TrackedTransactions } from './tracked.ts'
import { endWorker } from './worker-end.ts'

/** Consumer group of the log. */
export const GROUP = 'delivery'

/** The calls that a limited rule may make per minute are spread over this many milliseconds, slightly more than a minute. */
const LIMIT_SPREAD_OVER = 61_100

/** How long to wait for the read models to pass a position: milliseconds. */
const PATIENCE = 5_000

/**
 * From this many first attempts that wait for their turn, or results that wait to be recorded, delivery is busy. Fewer
 * pass through in a moment.
 */
const BUSY_FROM = 100

export interface DeliveryOptions {
  store: EventStore
  log: Log
  queue: DeliveryQueue
  sender: Sender
  ids: Ids
  vault: Vault
  readModels: ReadModels
  /** Seconds before each retry (`RETRY_SCHEDULE`). */
  schedule: readonly number[]
  /** Whether receiving is overloaded in this process. First attempts then give way to it. */
  givesWay?: () => boolean
  /** This process has just started the database, so the claims in it belong to dead workers. */
  soleWorker?: boolean
  /** From 0 up to 1; default `Math.random`. */
  random?: () => number
  /** One wide line per attempt. */
  onAttempt?: (attempt: AttemptTold) => void
  /**
   * At the start of a sole worker: how many earlier attempts were claimed and not recorded. Each of them may be made
   * twice.
   */
  onClaimsOpen?: (count: number) => void
  /** An endpoint's breaker opened. */
  onOpened?: (endpoint: { user_id: number; endpoint: string }) => void
  onError?: (error: unknown) => void
  /** Milliseconds. Only tests set other values. */
  beatEvery?: number
  cutOffAfter?: number
  /** For tests. */
  limits?: Partial<Record<LaneName, Partial<LaneLimits>>>
}

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
  const { store, log, queue, sender, ids, vault, readModels, schedule, soleWorker = false } = options
  const { onAttempt = () => {}, onClaimsOpen = () => {}, onError = () => {}, random = Math.random } = options
  const { onOpened = () => {} } = options

  const worker = randomUUID()
  const stopping = new AbortController()
  const { signal: stopped } = stopping
  /** Cuts off the calls still open. */
  const cutOff = new AbortController()
  const tracked = new TrackedTransactions()
  const heartbeat = new Heartbeat({ queue, worker, soleWorker, every: options.beatEvery ?? BEAT_EVERY })

  // --- from the call to its record ---------------------------------------------------------------------------------

  const recorder = new Recorder({ store, ids, tracked, schedule, random })

  const makeCall = attempts({
    sender,
    secrets: new SecretCache(vault),
    recorder,
    now: () => heartbeat.now(),
    onAttempt: (attempt) => {
      if (attempt.next_attempt_at !== null)
        dueRows.wakeIn(Date.parse(attempt.next_attempt_at) - heartbeat.now().getTime())
      onAttempt(attempt)
    },
    onCame: (claimed, came) => endpoints.note(claimed, came),
    onRecorded: ({ rule }, checkpoint) => {
      // The next delivery of an ordered rule may start when the read models show that this one is done.
      if (rule.ordered) void readModels.passed(checkpoint, PATIENCE).then(() => dueRows.wake(), onError)
    },
  })

  const lanes: Lanes = new Lanes(async (job) => {
    // Another worker may have taken it over. It waits for the next heartbeat, which checks whether it is still ours.
    if (heartbeat.isSilent) return lanes.putBack(job)
    await makeCall(job.claimed, cutOff.signal)
    firstTries.wake()
    dueRows.roomAgain()
  }, options.limits)

  const inHand = new InHand({ worker, queue, lanes, tracked, stopping: stopped })

  const endpoints: Endpoints = new Endpoints({
    tell: (news) => queue.tellEndpoints(news),
    onTold: (states) => {
      for (const state of states) if (state.opened) onOpened(state)
      void inHand.told(states).catch(claimFailed)
      // Other deliveries wait for a server that answers again.
      if (states.some((state) => !state.held)) dueRows.wake()
    },
    onFailing: (endpoint) => inHand.putAside(endpoint),
    onError,
  })

  // --- where work comes from ---------------------------------------------------------------------------------------

  const mayClaim = () => !stopped.aborted && !recorder.isBehind && !heartbeat.isSilent

  const claims = new Claims({
    worker,
    queue,
    store,
    tracked,
    lanes,
    dead: () => heartbeat.dead,
    begin: (claimed) => inHand.begin(claimed),
    endOrphan: ({ transaction_id, rule_id }) =>
      recorder.submit({ transaction_id, rule_id, at: heartbeat.now(), result: null }),
    stopping: stopped,
    onError,
  })

  const claimFailed = (error: unknown): void => {
    claims.mayHaveLost()
    dueRows.lookForTheDead()
    onError(error)
  }

  const firstTries = new FirstTries({
    isAfter: (a, b) => store.isAfter(a, b),
    readModels,
    now: () => heartbeat.now(),
    mayClaim,
    givesWay: options.givesWay ?? (() => false),
    roomFor: (userId) => lanes.first.roomFor(userId),
    onGated: () => dueRows.wake(),
    claim: (transactions) => claims.first(transactions),
    handOver: (claimed, entries) => claims.beginFirst(claimed, entries),
    onError: claimFailed,
  })

  const dueRows = new DueRows({
    room: () => (mayClaim() ? lanes.room() : NO_ROOM),
    claimDue: (room) => claims.due(room),
    claimGated: async (room) => {
      const claimed = await claims.gated(room)
      // The next call of a limited rule becomes due a little later.
      for (const { rule } of claimed)
        if (rule.max_per_minute !== null) dueRows.wakeIn(LIMIT_SPREAD_OVER / rule.max_per_minute)
      return claimed
    },
    takeOver: (limit) => claims.ofTheDead(limit),
    handOver: (due) => claims.beginChecked(due),
    onError: claimFailed,
  })

  const takeFromLog = async (entries: readonly LogEntry[]): Promise<void> => {
    firstTries.note(entries.filter(({ type }) => type === 'TransactionCaptured' || type === 'TransactionCompleted'))
    const deleted = new Set(
      entries.filter(({ type }) => type === 'TransactionDeleted').map((entry) => entry.transaction_id),
    )
    if (deleted.size > 0) inHand.letGo((job) => deleted.has(job.claimed.transaction_id))
    const retried = entries.findLast(({ type }) => type === 'WebhookRetryRequested')
    if (retried) void readModels.passed(retried.checkpoint, PATIENCE).then(() => dueRows.wake(), onError)
  }

  // --- life --------------------------------------------------------------------------------------------------------

  const beat = async (): Promise<void> => {
    const { wasSilent } = await heartbeat.beat()
    if (wasSilent) await inHand.letGoOfLost()
    lanes.goOn()
    firstTries.wake()
    if (heartbeat.dead.length > 0) dueRows.lookForTheDead()
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
    const recording = recorder.run()
    const loops = [
      (soleWorker ? countClaimsOpen() : Promise.resolve()).catch(onError).then(() => dueRows.run(stopped)),
      firstTries.run(stopped),
      heartbeat.run(beat, stopped, onError),
      log.consume(GROUP, takeFromLog, stopped),
    ]
    await new Promise<void>((resolve) => {
      if (stopped.aborted) resolve()
      else stopped.addEventListener('abort', () => resolve(), { once: true })
    })
    await endWorker({
      letGo: () => inHand.letGo(),
      claimRest: () => firstTries.claimRest(),
      inFlight: () => lanes.inFlight,
      cutOff: () => cutOff.abort(),
      recorder,
      recording,
      tellEndpoints: () => endpoints.end(),
      goodbye: () => queue.goodbye(worker),
      loops: Promise.allSettled(loops),
      onError,
      cutOffAfter: options.cutOffAfter,
    })
  }

  let running: Promise<void> | null = null

  return {
    worker,
    use: () => lanes.use(),
    isBusy: () => firstTries.noted + lanes.first.waiting + recorder.backlog >= BUSY_FROM,
    run: (signal) => (running ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
