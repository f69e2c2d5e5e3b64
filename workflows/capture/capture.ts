// Tests: tests/integration/capture/capture.test.ts
/**
 * Receives notifications. Each one becomes a transaction, the record of a copy, or an unread or ignored notification,
 * and is answered after that is stored. Concurrent calls form a group: while one group runs, the next one collects. Two
 * groups run at the same time if they share no account, so a deduplication window is only ever in one of them. Between
 * processes, the expected revision of the window decides: the slower process decides again on the new state.
 */
import { setImmediate as otherWork, setTimeout as pause } from 'node:timers/promises'
import { MOST_WAIT_MS, StoreUnavailable } from '../../domain/errors.ts'
import { UnreadableEvent } from '../../domain/parse-event.ts'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import type { Clock, EventStore, Ids } from '../../domain/ports.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import { DAY_MS } from '../../domain/time.ts'
import { accountCache, type AccountCache } from '../accounts/accounts.ts'
import { CreditMemories } from '../credits/memories.ts'
import type { Snapshots } from '../support/snapshots.ts'
import { pauseAfter } from '../support/retry.ts'
import { openAnswers } from './answers.ts'
import { WarmWindows } from './warm-windows.ts'
import { RecentConflicts } from './recent-conflicts.ts'
import { openWindowSnapshots } from './window-snapshots.ts'
import { runGroup, type GroupPorts } from './group.ts'
import { IgnoredRevisions } from './ignored-revisions.ts'
import { openGroups } from './groups.ts'
import { jobOf, type Job } from './job.ts'
import type { TakenInfo } from './taken-info.ts'

export interface CaptureOptions {
  store: EventStore
  ids: Ids
  clock: Clock
  /** Shared with other users of the account cache. */
  accounts?: AccountCache
  /** Memory for cached windows. A notification takes about 300 bytes. */
  warmBytes?: number
  /** Snapshots of windows. Default: every window is read from its stream. */
  snapshots?: Snapshots
  /** Least time between the starts of two snapshots, milliseconds. */
  snapshotsApartMs?: number
  /** How long to wait for the writer of a window's entry whose transaction is missing, milliseconds. */
  unfinishedMs?: number
  /** The account that receives plan payments; null if no plan can be bought. */
  plans: PlanAccount | null
  /**
   * A notification that is older than this when it arrives is recorded and not sent (`REPARSE_MAX_AGE`), milliseconds.
   * Default: a day.
   */
  oldAfterMs?: number
  onTaken?: (info: TakenInfo) => void
  /** See `GroupPorts`. */
  onAppending?: GroupPorts['onAppending']
  /**
   * How long a notification waits for its answer in all: for its turn, every read and append, and conflicts. Milliseconds.
   */
  mostWaitMs?: number
  /** Measures that time. Default: the monotonic clock. */
  elapsed?: () => number
}

export interface Capture {
  /**
   * Takes the notifications of one call. They are decided in the order of their timestamps and answered in the given
   * order.
   * @param waitedMs  how long their request has waited for the store already
   * @throws {StoreUnavailable} if not all of them are known to be stored in time: it is safe to send them again
   */
  take(arrivals: readonly Arrival[], waitedMs?: number): Promise<Taken[]>
  /**
   * Whether more notifications wait for their answer than fit in a group or two. Other work in this process should then
   * give way.
   */
  isBusy(): boolean
}

/** Default of `warmBytes`. */
const WARM_BYTES = 150 * 1_048_576
/** When a notification that waits for another process's writer is looked at again, milliseconds. */
const LOOK_AGAIN_MS = 100
/** With more waiting notifications the store is too slow, and new ones are refused with 503. */
const MOST_WAITING = 20_000

/** From this many notifications without an answer, capture is busy. */
const BUSY_FROM = 100

/** Texts of a call are read for this long at once, milliseconds. Some take 20 ms each, and a call has up to 200. */
const READING_MS = 20

/**
 * After a conflict. Processes that compete for an account would otherwise fail together again and again. Its later notifications wait too.
 * Milliseconds.
 */
const BACK_OFF = { firstMs: 2, mostMs: 500 }

const byStamp = (a: Arrival, b: Arrival): number =>
  (a.stamp ?? a.arrived_at).getTime() - (b.stamp ?? b.arrived_at).getTime()

/** A stream that cannot be read must not stop the rest of its group: the group is divided by user, and then by bank. */
const partsOf = (jobs: readonly Job[]): Job[][] => {
  const parts = (keyOf: (job: Job) => unknown): Job[][] =>
    [...new Set(jobs.map(keyOf))].map((key) => jobs.filter((job) => keyOf(job) === key))
  const byUser = parts(({ userId }) => userId)
  return byUser.length > 1 ? byUser : parts(({ read }) => read.reading?.bank_code)
}

const groupPorts = (options: CaptureOptions): GroupPorts => {
  const { store, ids, clock, accounts = accountCache(), warmBytes = WARM_BYTES, unfinishedMs = 2_000 } = options
  const { snapshots = null, snapshotsApartMs: apartMs, onAppending } = options
  return {
    store,
    ids,
    clock,
    accounts,
    windows: new WarmWindows(warmBytes),
    snapshots: snapshots && openWindowSnapshots(snapshots, store, { apartMs }),
    credits: new CreditMemories(),
    ignoredRevisions: new IgnoredRevisions(),
    spareIds: [],
    conflicts: new RecentConflicts(),
    unfinishedMs,
    onAppending,
  }
}

export const openCapture = (options: CaptureOptions): Capture => {
  const { mostWaitMs = MOST_WAIT_MS, elapsed = () => performance.now(), onTaken } = options
  const { plans, oldAfterMs = DAY_MS } = options
  const ports = groupPorts(options)
  const { answer, fail, refuseLater } = openAnswers(onTaken, elapsed)

  const run = async (given: readonly Job[]): Promise<void> => {
    const jobs = given.filter(({ isAnswered }) => !isAnswered)
    if (jobs.length === 0) return
    try {
      const { answers, again, postponed } = await runGroup(ports, jobs)
      for (const each of answers) answer(each, jobs.length)
      if (again.length > 0) await pause(pauseAfter(again[0]!.tries, BACK_OFF))
      groups.putBack(again)
      if (postponed.length > 0) setTimeout(() => groups.add(postponed), LOOK_AGAIN_MS)
    } catch (error) {
      const parts = error instanceof UnreadableEvent ? partsOf(jobs) : []
      if (parts.length > 1) for (const part of parts) await run(part)
      else for (const job of jobs) fail(job, error, jobs.length)
    }
  }
  const groups = openGroups(run)

  /** Reads a notification and adds its job. @returns its answer */
  const read = (arrival: Arrival, jobs: Job[]): Promise<Taken> =>
    new Promise((resolve, reject) => jobs.push(jobOf(arrival, { plans, oldAfterMs, resolve, reject })))

  const add = (jobs: readonly Job[], answers: readonly Promise<Taken>[], withinMs: number): Promise<Taken[]> => {
    const answered = refuseLater(jobs, withinMs)
    groups.add(jobs)
    return Promise.all(answers).finally(answered)
  }

  /** Other work of this process runs while they are read. */
  const takeMany = async (arrivals: readonly Arrival[], withinMs: number): Promise<Taken[]> => {
    let began = performance.now()
    const jobs: Job[] = []
    const answers = new Map<Arrival, Promise<Taken>>()
    for (const arrival of arrivals.toSorted(byStamp)) {
      if (performance.now() - began > READING_MS) {
        await otherWork()
        began = performance.now()
      }
      const taken = read(arrival, jobs)
      // If it fails, that is reported below.
      taken.catch(() => {})
      answers.set(arrival, taken)
    }
    return add(
      jobs,
      arrivals.map((arrival) => answers.get(arrival)!),
      withinMs,
    )
  }

  const take = (arrivals: readonly Arrival[], waitedMs = 0): Promise<Taken[]> => {
    if (groups.waiting() + arrivals.length > MOST_WAITING)
      return Promise.reject(new StoreUnavailable('too many notifications are waiting for the store'))
    const withinMs = mostWaitMs - waitedMs
    if (arrivals.length > 1) return takeMany(arrivals, withinMs)
    const jobs: Job[] = []
    const answers = arrivals.map((arrival) => read(arrival, jobs))
    return add(jobs, answers, withinMs)
  }

  return { take, isBusy: () => groups.unanswered() >= BUSY_FROM }
}
