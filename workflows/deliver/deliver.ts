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
import type {
  CallResult,
  Clock,
  EventStore,
  Ids,
  Log,
  LogEntry,
  ReadModels,
  Sender,
  Vault,
} from '../../domain/ports.ts'
import { isToBeAttempted } from '../../domain/transaction/decide.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import { RENDERER } from '../../domain/webhook/payload/render.ts'
import type { AttemptTold } from './attempt-told.ts'
import { DueRows } from './due-rows.ts'
import { FirstTries } from './first-tries.ts'
import { formCall } from './form-call.ts'
import { BEAT_EVERY, Heartbeat } from './heartbeat.ts'
import { Lane, type LaneJob, type LaneLimits } from './lane.ts'
import { LANES, type Claimed, type DeliveryQueue, type Due, type LaneName, type RoomByLane } from './queue.ts'
import { Recorder } from './recorder.ts'
import { SecretCache } from './secret-cache.ts'
import { TrackedTransactions } from './tracked.ts'

/** Consumer group of the log. */
export const GROUP = 'delivery'

const LIMITS: Record<LaneName, LaneLimits> = {
  first: { room: 4_000, slots: 1_024, perUser: 128, perEndpoint: 64, waitingPerEndpoint: 256 },
  retry: { room: 1_000, slots: 256, perUser: 64, perEndpoint: 32, waitingPerEndpoint: 128 },
  manual: { room: 500, slots: 128, perUser: 64, perEndpoint: 32, waitingPerEndpoint: 128 },
}

/** Calls in one claim from the log: transactions may have many rules. */
const MOST_IN_CLAIM = 1_000

/** Due rows of one rule in one claim. */
const PER_RULE = 128

/** Milliseconds: calls open so long after a stop began are cut off, and what they came to must be recorded by then. */
const CUT_OFF_AFTER = 7_000
const GIVE_UP_AFTER = 9_000

const SWEEP_EVERY = 60_000

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
  /** Embedded: this process is the only one, so claims of others are of the dead. */
  soleWorker?: boolean
  /** From 0 up to 1; default `Math.random`. */
  random?: () => number
  /** One wide line per attempt. */
  onAttempt?: (attempt: AttemptTold) => void
  /** At a sole worker's start: attempts claimed and not recorded before it, each of which may be made twice. */
  onClaimsOpen?: (count: number) => void
  onError?: (error: unknown) => void
  /** Milliseconds; others only for tests. */
  beatEvery?: number
  cutOffAfter?: number
  /** For tests. */
  limits?: Partial<Record<LaneName, Partial<LaneLimits>>>
}

interface Job extends LaneJob {
  claimed: Claimed
}

export interface Delivery {
  /** Delivers until the signal aborts or `stop` is called; resolves when it has stopped. */
  run(signal: AbortSignal): Promise<void>
  /** No new claims; calls open after 7 s are cut off, recorded and left to the schedule; a goodbye. Within 10 s. */
  stop(): Promise<void>
}

const endpointOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

const notFormed = (error: unknown): CallResult => ({
  http_status: 0,
  response_body: `The call could not be formed: ${error instanceof Error ? error.message : String(error)}`,
  error: 'not_formed',
  retry_after_s: null,
  duration_ms: 0,
})

export const openDelivery = (options: DeliveryOptions): Delivery => {
  const { store, log, queue, sender, ids, vault, clock, readModels, schedule, soleWorker = false } = options
  const { onAttempt = () => {}, onClaimsOpen = () => {}, onError = () => {}, random = Math.random } = options
  const beatEvery = options.beatEvery ?? BEAT_EVERY

  const worker = randomUUID()
  const stopping = new AbortController()
  /** Cuts off the calls still open. */
  const cutOff = new AbortController()
  const secrets = new SecretCache(vault)
  const tracked = new TrackedTransactions()
  const heartbeat = new Heartbeat({ queue, worker, clock, soleWorker, every: beatEvery })
  const recorder = new Recorder({ store, ids, tracked, schedule, random })

  // --- one call ----------------------------------------------------------------------------------------------------

  const makeCall = async (job: Job): Promise<void> => {
    const { claimed } = job
    if (heartbeat.isSilent) {
      // Others may have taken it over: it waits for our next beat, which asks whether it is still ours.
      lanes[claimed.lane].hold(true)
      lanes[claimed.lane].add([job])
      return
    }
    const begun = heartbeat.now()
    let formed: ReturnType<typeof formCall> | null = null
    let result: CallResult
    try {
      formed = formCall(claimed, secrets.open(claimed.rule.sealed_secret), begun)
      result = await sender.send(formed.call, cutOff.signal)
    } catch (error) {
      result = notFormed(error)
    }
    record(claimed, begun, formed, result)
    firstTries.wake()
    dueRows.roomAgain()
  }

  const record = (
    claimed: Claimed,
    begun: Date,
    formed: ReturnType<typeof formCall> | null,
    result: CallResult,
  ): void => {
    const { transaction_id, rule_id, attempt, rule } = claimed
    const { http_status, response_body, error, retry_after_s, duration_ms } = result
    recorder.submit({
      transaction_id,
      rule_id,
      at: heartbeat.now(),
      result: {
        transaction_id, rule_id, attempt, method: rule.http_method, url: rule.url,
        account_revision: rule.account_revision, timestamp: formed?.timestamp ?? Math.floor(begun.getTime() / 1000),
        body_sha256: formed?.body_sha256 ?? '', renderer: RENDERER, http_status, response_body, error, retry_after_s,
        sent_at: begun.toISOString(), duration_ms,
      }, // prettier-ignore
      recorded: (attempted) => {
        if (attempted?.next_attempt_at)
          dueRows.wakeIn(Date.parse(attempted.next_attempt_at) - heartbeat.now().getTime())
        onAttempt({
          user_id: claimed.user_id, transaction_id, rule_id, attempt_id: attempted?.attempt_id ?? null, attempt,
          lane: claimed.lane, url: rule.url.replace(/[?#].*/, ''), http_status, error,
          outcome: attempted?.outcome ?? null, next_attempt_at: attempted?.next_attempt_at ?? null, duration_ms,
          since_capture_ms: begun.getTime() - Date.parse(claimed.captured_at),
        }) // prettier-ignore
      },
    })
  }

  // --- lanes -------------------------------------------------------------------------------------------------------

  const laneOf = (name: LaneName) => new Lane<Job>({ ...LIMITS[name], ...options.limits?.[name] }, makeCall)
  const lanes: Record<LaneName, Lane<Job>> = {
    first: laneOf('first'),
    retry: laneOf('retry'),
    manual: laneOf('manual'),
  }
  const everyLane = LANES.map((name) => lanes[name])

  const mayClaim = () => !stopping.signal.aborted && !recorder.isBehind && !heartbeat.isSilent
  const room = (): RoomByLane =>
    mayClaim()
      ? { first: lanes.first.free, retry: lanes.retry.free, manual: lanes.manual.free }
      : { first: 0, retry: 0, manual: 0 }

  const addToLanes = (claimed: readonly Claimed[]): void => {
    // After a stop began nothing is begun any more; the goodbye frees these claims.
    if (stopping.signal.aborted) return
    const jobs = claimed.map((each) => ({
      claimed: each, user_id: each.user_id, rule_id: each.rule_id, endpoint: endpointOf(each.rule.url),
    })) // prettier-ignore
    for (const name of LANES) lanes[name].add(jobs.filter((job) => job.claimed.lane === name))
  }

  const letGo = ({ claimed }: Job): void => {
    const held = tracked.get(claimed.transaction_id)
    if (held) tracked.release(held, 1)
  }

  // --- where work comes from ---------------------------------------------------------------------------------------

  /** Reads the streams of all in one go, and keeps what is still to be attempted. */
  const checkedAgainstStreams = async ({ claimed, orphans }: Due): Promise<Claimed[]> => {
    const transactions = [...new Set([...claimed, ...orphans].map((each) => each.transaction_id))]
    if (transactions.length === 0) return []
    const slices = transactions.map((transaction) => ({ stream: transactionStream(transaction) }))
    const read = await untilItAnswers(() => store.read(slices))
    if (!read) return []
    const streams = new Map(transactions.map((transaction, index) => [transaction, read[index] ?? []]))
    for (const { transaction_id, rule_id, user_id } of orphans) {
      tracked.holdRead({ transaction_id, user_id }, streams.get(transaction_id)!)
      recorder.submit({ transaction_id, rule_id, at: heartbeat.now(), result: null })
    }
    return claimed.filter((each) => {
      const events = streams.get(each.transaction_id)!
      if (!isToBeAttempted(foldTransaction(events), each.rule_id, each.attempt)) return false
      tracked.holdRead(each, events)
      return true
    })
  }

  /** What is claimed must not be dropped because the store is down: it is asked until it answers, or we stop. */
  const untilItAnswers = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | null> => {
    while (!stopping.signal.aborted) {
      try {
        return await ask()
      } catch (error) {
        onError(error)
        await pause(250)
      }
    }
    return null
  }

  const firstTries = new FirstTries({
    isAfter: (a, b) => store.isAfter(a, b),
    readModels,
    mayClaim,
    roomFor: (userId) => lanes.first.roomFor(userId),
    claim: (transactions) => queue.claimFirst(worker, transactions, lanes.first.fullRules(), MOST_IN_CLAIM),
    handOver: async (claimed, entries) => {
      // Nothing has happened to a transaction just captured: its stream need not be read, the append would tell.
      const isFresh = ({ transaction_id }: Claimed) => entries.get(transaction_id)?.type === 'TransactionCaptured'
      const fresh = claimed.filter(isFresh)
      for (const each of fresh) tracked.holdAt(each, entries.get(each.transaction_id)!.revision)
      addToLanes(fresh)
      addToLanes(await checkedAgainstStreams({ claimed: claimed.filter((each) => !isFresh(each)), orphans: [] }))
    },
    onError,
  })

  const dueRows = new DueRows({
    room,
    claimDue: (free) => {
      const fullRules = everyLane.flatMap((lane) => lane.fullRules())
      return queue.claimDue(worker, { room: free, perRule: PER_RULE, fullRules })
    },
    takeOver: (limit) => queue.takeOver(worker, heartbeat.dead, limit),
    handOver: async (due) => addToLanes(await checkedAgainstStreams(due)),
    onError,
  })

  const takeFromLog = async (entries: readonly LogEntry[]): Promise<void> => {
    firstTries.note(entries.filter(({ type }) => type === 'TransactionCaptured' || type === 'TransactionCompleted'))
    const deleted = new Set(
      entries.filter(({ type }) => type === 'TransactionDeleted').map((entry) => entry.transaction_id),
    )
    if (deleted.size > 0)
      for (const lane of everyLane) lane.takeOut((job) => deleted.has(job.claimed.transaction_id)).forEach(letGo)
    const retried = entries.findLast(({ type }) => type === 'WebhookRetryRequested')
    if (retried) void readModels.passed(retried.checkpoint, 5_000).then(() => dueRows.wake(), onError)
  }

  // --- life --------------------------------------------------------------------------------------------------------

  const beatOnce = async (): Promise<void> => {
    const { wasSilent } = await heartbeat.beat()
    if (wasSilent) {
      const jobs = everyLane.flatMap((lane) => lane.jobsWaiting())
      const mine = new Set(
        (
          await queue.stillMine(
            worker,
            jobs.map((job) => job.claimed),
          )
        ).map((place) => jobs[place]),
      )
      const waited = new Set(jobs)
      for (const lane of everyLane) lane.takeOut((job) => waited.has(job) && !mine.has(job)).forEach(letGo)
    }
    for (const lane of everyLane) lane.hold(false)
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

  const stopOnce = async (running: Promise<unknown>, recording: Promise<void>): Promise<void> => {
    const cutting = setTimeout(() => cutOff.abort(), options.cutOffAfter ?? CUT_OFF_AFTER)
    const givingUp = setTimeout(() => recorder.giveUp(), GIVE_UP_AFTER)
    for (const lane of everyLane) lane.takeOut().forEach(letGo)
    while (everyLane.some((lane) => lane.inFlight > 0)) await pause(10)
    recorder.end()
    await recording.catch(onError)
    clearTimeout(cutting)
    clearTimeout(givingUp)
    await queue.goodbye(worker).catch(onError)
    await running
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
    run: (signal) => (stopped ??= run(signal)),
    stop: async () => {
      stopping.abort()
      await stopped
    },
  }
}
