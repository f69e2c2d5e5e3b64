/**
 * Delivery: every transaction × rule is called until its endpoint answers (section 6 of the interface).
 *
 *     log ──► first tries ─┐                                        ┌─► recorder ──► event store
 *                          ├─► claim ─► lanes ─► sender ─► outcome ─┘
 *     queue ─► due rows ───┘
 *
 * A worker claims an attempt before it makes it; what comes from the queue or from a dead worker is also checked against
 * its stream. Claims are left alone by everyone but their worker until it is dead, so each call is made by one.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, EventStore, Ids, Log, LogEntry, ReadModels, Sender, Slice, Vault } from '../../domain/ports.ts'
import { attempts, type AttemptTold } from './attempts.ts'
import { DueRows } from './due-rows.ts'
import { Endpoints } from './endpoints.ts'
import { FirstTries } from './first-tries.ts'
import { BEAT_EVERY, Heartbeat } from './heartbeat.ts'
import type { LaneLimits } from './lane.ts'
import { Lanes, type Job } from './lanes.ts'
import { LeftAlone } from './left-alone.ts'
import { NO_ROOM, type Claimed, type DeliveryQueue, type Due, type DueWanted } from './queue.ts'
import type { LaneName, RoomByLane } from './queue.ts'
import { Recorder } from './recorder.ts'
import { SecretCache } from './secret-cache.ts'
import { checkAgainstStreams } from './stream-check.ts'
import { TrackedTransactions } from './tracked.ts'

/** Consumer group of the log. */
export const GROUP = 'delivery'

/** Calls in one claim from the log: transactions may have many rules. */
const MOST_IN_CLAIM = 1_000

/** Due rows of one rule in one claim. */
const PER_RULE = 128

/** Milliseconds: calls open so long after a stop began are cut off, and what they came to must be recorded by then. */
const CUT_OFF_AFTER = 7_000
const GIVE_UP_AFTER = 9_000
const LAST_WORDS = 900

/** Milliseconds over which a limited rule's calls of a minute are spread, and a little. */
const LIMIT_SPREAD_OVER = 61_100

const SWEEP_EVERY = 60_000
const ASK_AGAIN_AFTER = 250

export interface DeliveryOptions {
  store: EventStore
  log: Log
  queue: DeliveryQueue
  sender: Sender
  ids: Ids
  vault: Vault
  clock: Clock
  readModels: ReadModels
  /** Seconds before each retry (`RETRY_SCHEDULE`). */
  schedule: readonly number[]
  /** Whether receiving, in this process, has more to do than it can: first tries give way to it. */
  givesWay?: () => boolean
  /** This process has just started the database: claims that it finds there are of the dead. */
  soleWorker?: boolean
  /** From 0 up to 1; default `Math.random`. */
  random?: () => number
  /** One wide line per attempt. */
  onAttempt?: (attempt: AttemptTold) => void
  /** At a sole worker's start: attempts claimed and not recorded before it, each of which may be made twice. */
  onClaimsOpen?: (count: number) => void
  /** An endpoint's breaker opened. */
  onOpened?: (endpoint: { user_id: number; endpoint: string }) => void
  onError?: (error: unknown) => void
  /** Milliseconds; others only for tests. */
  beatEvery?: number
  cutOffAfter?: number
  /** For tests. */
  limits?: Partial<Record<LaneName, Partial<LaneLimits>>>
}

export interface Delivery {
  /** Calls of each lane, here. */
  use: Lanes['use']
  /** Delivers until the signal aborts or `stop` is called; resolves when it has stopped. */
  run(signal: AbortSignal): Promise<void>
  /** No new claims; calls open after 7 s are cut off, recorded and left to the schedule; a goodbye. Within 10 s. */
  stop(): Promise<void>
}

export const openDelivery = (options: DeliveryOptions): Delivery => {
  const { store, log, queue, sender, ids, vault, clock, readModels, schedule, soleWorker = false } = options
  const { onAttempt = () => {}, onClaimsOpen = () => {}, onError = () => {}, random = Math.random } = options
  const { onOpened = () => {} } = options
  const beatEvery = options.beatEvery ?? BEAT_EVERY

  const worker = randomUUID()
  const stopping = new AbortController()
  /** Cuts off the calls still open. */
  const cutOff = new AbortController()
  const tracked = new TrackedTransactions()
  const heartbeat = new Heartbeat({ queue, worker, clock, soleWorker, every: beatEvery })
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
      // The next of an ordered rule may go when the read models know that this one is done.
      if (rule.ordered) void readModels.passed(checkpoint, 5_000).then(() => dueRows.wake(), onError)
    },
  })

  const lanes: Lanes = new Lanes(async (job) => {
    // Others may have taken it over: it waits for our next beat, which asks whether it is still ours.
    if (heartbeat.isSilent) return lanes.putBack(job)
    await makeCall(job.claimed, cutOff.signal)
    firstTries.wake()
    dueRows.roomAgain()
  }, options.limits)

  const leftAlone = new LeftAlone(lanes)

  const giveBack = async (jobs: readonly Job[]): Promise<void> => {
    jobs.forEach(letGo)
    const claims = jobs.map(({ claimed }) => claimed)
    if (claims.length > 0) await queue.giveBack(worker, claims)
  }

  const endpoints: Endpoints = new Endpoints({
    tell: (news) => queue.tellEndpoints(news),
    onTold: (states) => {
      for (const state of states) if (state.opened) onOpened(state)
      void giveBack(leftAlone.told(states)).catch(claimFailed)
      // A server that answers again has others waiting.
      if (states.some((state) => !state.held)) dueRows.wake()
    },
    onFailing: (endpoint) => leftAlone.putAside(endpoint),
    onError,
  })

  /** What waits here, all of it or what is chosen. */
  const takeOut = (chosen?: (job: Job) => boolean): Job[] => [...lanes.takeOut(chosen), ...leftAlone.takeOut(chosen)]

  const letGo = ({ claimed }: Job): void => tracked.release(claimed)

  /** After a stop began nothing is begun any more; the goodbye frees the claims. */
  const begin = (claimed: readonly Claimed[]): void => {
    if (!stopping.signal.aborted) lanes.add(claimed)
  }

  // --- where work comes from ---------------------------------------------------------------------------------------

  const mayClaim = () => !stopping.signal.aborted && !recorder.isBehind && !heartbeat.isSilent

  /** What is claimed must not be dropped because the store is down: it is asked until it answers, or we stop. */
  const untilItAnswers = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | null> => {
    while (!stopping.signal.aborted) {
      try {
        return await ask()
      } catch (error) {
        onError(error)
        await pause(ASK_AGAIN_AFTER)
      }
    }
    return null
  }

  /** Claims on their way into `tracked`. */
  const beingChecked = new Set<Claimed>()

  const beginChecked = async (due: Due): Promise<void> => {
    for (const claim of due.claimed) beingChecked.add(claim)
    const read = (slices: readonly Slice[]) => untilItAnswers(() => store.read(slices))
    const { claimed, orphans } = await checkAgainstStreams(due, read, tracked)
    for (const { transaction_id, rule_id } of orphans)
      recorder.submit({ transaction_id, rule_id, at: heartbeat.now(), result: null })
    for (const claim of due.claimed) beingChecked.delete(claim)
    begin(claimed)
  }

  /** A claim whose answer got lost may have been made all the same: nobody else takes it over while we live. */
  let mayHaveLostClaims = false
  const claimFailed = (error: unknown): void => {
    mayHaveLostClaims = true
    dueRows.lookForTheDead()
    onError(error)
  }

  const takeOver = async (limit: number): Promise<Due> => {
    const own = mayHaveLostClaims
    const due = await queue.takeOver(
      worker,
      own ? [...heartbeat.dead, worker] : heartbeat.dead,
      limit + (own ? tracked.size : 0),
    )
    if (own) mayHaveLostClaims = false
    const known = new Set([...beingChecked].map((claim) => `${claim.transaction_id} ${claim.rule_id}`))
    const isNew = (claim: { transaction_id: number; rule_id: number }) =>
      !tracked.isHeld(claim) && !known.has(`${claim.transaction_id} ${claim.rule_id}`)
    return { claimed: due.claimed.filter(isNew), orphans: due.orphans.filter(isNew) }
  }

  const firstTries = new FirstTries({
    isAfter: (a, b) => store.isAfter(a, b),
    readModels,
    mayClaim,
    givesWay: options.givesWay ?? (() => false),
    roomFor: (userId) => lanes.first.roomFor(userId),
    onGated: () => dueRows.wake(),
    claim: (transactions) => queue.claimFirst(worker, transactions, lanes.first.fullRules(), MOST_IN_CLAIM),
    handOver: async (claimed, entries) => {
      // Nothing has happened to a transaction just captured: its stream need not be read, the append would tell.
      const isFresh = ({ transaction_id }: Claimed) => entries.get(transaction_id)?.type === 'TransactionCaptured'
      const fresh = claimed.filter(isFresh)
      for (const each of fresh) tracked.holdAt(each, entries.get(each.transaction_id)!.revision)
      begin(fresh)
      await beginChecked({ claimed: claimed.filter((each) => !isFresh(each)), orphans: [] })
    },
    onError: claimFailed,
  })

  const wanted = (room: RoomByLane): DueWanted => ({ room, perRule: PER_RULE, fullRules: lanes.fullRules() })

  const claimGated = async (room: RoomByLane): Promise<readonly Claimed[]> => {
    const claimed = await queue.claimGated(worker, wanted(room))
    // A limited rule's next call is in time a little later.
    for (const { rule } of claimed)
      if (rule.max_per_minute !== null) dueRows.wakeIn(LIMIT_SPREAD_OVER / rule.max_per_minute)
    return claimed
  }

  const dueRows = new DueRows({
    room: () => (mayClaim() ? lanes.room() : NO_ROOM),
    claimDue: (room) => queue.claimDue(worker, wanted(room)),
    claimGated,
    takeOver,
    handOver: beginChecked,
    onError: claimFailed,
  })

  const takeFromLog = async (entries: readonly LogEntry[]): Promise<void> => {
    firstTries.note(entries.filter(({ type }) => type === 'TransactionCaptured' || type === 'TransactionCompleted'))
    const deleted = new Set(
      entries.filter(({ type }) => type === 'TransactionDeleted').map((entry) => entry.transaction_id),
    )
    if (deleted.size > 0) takeOut((job) => deleted.has(job.claimed.transaction_id)).forEach(letGo)
    const retried = entries.findLast(({ type }) => type === 'WebhookRetryRequested')
    if (retried) void readModels.passed(retried.checkpoint, 5_000).then(() => dueRows.wake(), onError)
  }

  // --- life --------------------------------------------------------------------------------------------------------

  /** While we were silent others may have taken over what waits here. */
  const letGoOfOthers = async (): Promise<void> => {
    const waited = [...lanes.jobsWaiting(), ...leftAlone.jobs]
    const claims = waited.map((job) => job.claimed)
    const lost = new Set(waited)
    for (const place of await queue.stillMine(worker, claims)) lost.delete(waited[place]!)
    takeOut((job) => lost.has(job)).forEach(letGo)
  }

  const beatOnce = async (): Promise<void> => {
    const { wasSilent } = await heartbeat.beat()
    if (wasSilent) await letGoOfOthers()
    lanes.goOn()
    firstTries.wake()
    if (heartbeat.dead.length > 0) dueRows.lookForTheDead()
  }

  const beatOn = async (): Promise<void> => {
    let sweptAt = performance.now()
    while (!stopping.signal.aborted) {
      await pause(beatEvery, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      await beatOnce().catch(onError)
      if (performance.now() - sweptAt < SWEEP_EVERY) continue
      sweptAt = performance.now()
      await queue.sweep(heartbeat.dead).catch(onError)
    }
  }

  /** Embedded, before anything else: how many calls the last run may have made without telling. */
  const countClaimsOpen = async (): Promise<void> => {
    const end = await untilItAnswers(() => store.end())
    while (end && !stopping.signal.aborted && !(await readModels.passed(end, 1_000)));
    if (!stopping.signal.aborted) onClaimsOpen(await queue.countOpen(worker))
  }

  const stopOnce = async (loops: Promise<unknown>, recording: Promise<void>): Promise<void> => {
    const cutting = setTimeout(() => cutOff.abort(), options.cutOffAfter ?? CUT_OFF_AFTER)
    const givingUp = setTimeout(() => recorder.giveUp(), GIVE_UP_AFTER)
    for (const job of takeOut()) letGo(job)
    const claimingRest = firstTries.claimRest().catch(onError)
    while (lanes.inFlight > 0) await pause(10)
    recorder.end()
    await recording.catch(onError)
    await Promise.race([endpoints.end(), pause(LAST_WORDS)])
    await Promise.race([claimingRest, pause(LAST_WORDS)])
    clearTimeout(cutting)
    clearTimeout(givingUp)
    // A database that is away shall not keep the process: without a goodbye others find out by themselves.
    await Promise.race([queue.goodbye(worker).then(() => loops, onError), pause(LAST_WORDS)])
  }

  let stopped: Promise<void> | null = null

  const run = async (signal: AbortSignal): Promise<void> => {
    const stop = () => stopping.abort()
    if (signal.aborted) return
    signal.addEventListener('abort', stop, { once: true })
    await untilItAnswers(beatOnce)
    const recording = recorder.run()
    const loops = [
      (soleWorker ? countClaimsOpen() : Promise.resolve()).catch(onError).then(() => dueRows.run(stopping.signal)),
      firstTries.run(stopping.signal),
      beatOn(),
      log.consume(GROUP, takeFromLog, stopping.signal),
    ]
    await new Promise<void>((resolve) => {
      if (stopping.signal.aborted) resolve()
      else stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await stopOnce(Promise.allSettled(loops), recording)
  }

  return {
    use: () => lanes.use(),
    run: (signal) => (stopped ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await stopped
    },
  }
}
