// Tests: tests/integration/capture/capture.test.ts
/**
 * Receives notifications. Each one becomes a transaction, the record of a copy, or an unread or ignored notification,
 * and is answered after that is stored. Concurrent calls form a group: while one group runs, the next one collects. Two
 * groups run at the same time if they share no account, so a deduplication window is only ever in one of them. Between
 * processes, the expected revision of the window decides: the slower process decides again on the new state.
 */
import { randomUUID } from 'node:crypto'
import { StoreUnavailable } from '../../domain/errors.ts'
import { UnreadableEvent } from '../../domain/parse-event.ts'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Clock, EventStore, Ids } from '../../domain/ports.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import { DAY_MS } from '../../domain/arrival/old.ts'
import { readable } from '../../domain/transaction/capture.ts'
import { accountCache, type AccountCache } from '../accounts/accounts.ts'
import { CreditMemories } from '../credits/memories.ts'
import { WarmWindows } from './warm-windows.ts'
import type { Answer } from './units.ts'
import { runGroup, type GroupPorts } from './group.ts'
import { Groups } from './groups.ts'
import type { Job } from './job.ts'
import { takenInfoOf, type TakenInfo } from './taken-info.ts'

export interface CaptureOptions {
  store: EventStore
  ids: Ids
  clock: Clock
  /** Shared with other users of the account cache. */
  accounts?: AccountCache
  /** Most notifications in all cached windows together. Each takes about 300 bytes. */
  warmNotifications?: number
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
}

export interface Capture {
  /**
   * Takes the notifications of one call. They are decided in the order of their timestamps and answered in the given
   * order.
   * @throws {StoreUnavailable} if not all of them are known to be stored: it is safe to send them again
   */
  take(arrivals: readonly Arrival[]): Promise<Taken[]>
  /**
   * Whether more notifications wait for their answer than fit in a group or two. Other work in this process should then
   * give way.
   */
  isBusy(): boolean
}

/** When a notification that waits for another process's writer is looked at again, milliseconds. */
const LOOK_AGAIN_MS = 100
/** A notification that conflicts with other processes for this long is refused with 503. */
const MOST_CONTENTION_MS = 15_000
/** With more waiting notifications the store is too slow, and new ones are refused with 503. */
const MOST_WAITING = 20_000

/** From this many notifications without an answer, capture is busy. */
const BUSY_FROM = 100

const byStamp = (a: Arrival, b: Arrival): number =>
  (a.stamp ?? a.arrived_at).getTime() - (b.stamp ?? b.arrived_at).getTime()

/** A stream that cannot be read must not stop the rest of its group: the group is divided by user, and then by bank. */
const partsOf = (jobs: readonly Job[]): Job[][] => {
  const parts = (keyOf: (job: Job) => unknown): Job[][] =>
    [...new Set(jobs.map(keyOf))].map((key) => jobs.filter((job) => keyOf(job) === key))
  const byUser = parts(({ userId }) => userId)
  return byUser.length > 1 ? byUser : parts(({ read }) => read.reading?.bank_code)
}

const contended = (job: Job): boolean => performance.now() - job.since > MOST_CONTENTION_MS

export const openCapture = (options: CaptureOptions): Capture => {
  const { warmNotifications = 500_000, unfinishedMs = 2_000, oldAfterMs = DAY_MS, plans, onTaken } = options
  const { store, ids, clock, accounts = accountCache() } = options
  const ports: GroupPorts = {
    store, ids, clock, accounts, windows: new WarmWindows(warmNotifications), credits: new CreditMemories(), ignoredRevisions: new Map(), spareIds: [], unfinishedMs,
  } // prettier-ignore

  const answer = ({ job, taken, outcome }: Answer, group: number): void => {
    onTaken?.(takenInfoOf(job, outcome, taken, group))
    job.resolve(taken)
  }

  const fail = (job: Job, error: unknown, group: number): void => {
    onTaken?.(takenInfoOf(job, 'failed', null, group))
    job.reject(error)
  }

  const run = async (jobs: readonly Job[]): Promise<void> => {
    try {
      const { answers, again, parked } = await runGroup(ports, jobs)
      for (const each of answers) answer(each, jobs.length)
      const [late, soon] = [again.filter(contended), again.filter((job) => !contended(job))]
      for (const job of late) fail(job, new StoreUnavailable('too many conflicts with other processes'), jobs.length)
      groups.putBack(soon)
      if (parked.length > 0) setTimeout(() => groups.add(parked), LOOK_AGAIN_MS)
    } catch (error) {
      const parts = error instanceof UnreadableEvent ? partsOf(jobs) : []
      if (parts.length > 1) for (const part of parts) await run(part)
      else for (const job of jobs) fail(job, error, jobs.length)
    }
  }
  const groups = new Groups(run)

  const jobOf = (arrival: Arrival, settled: Pick<Job, 'resolve' | 'reject'>): Job => {
    const cut = readable(arrival)
    return {
      arrival: cut, userId: cut.credential.user_id, plans, oldAfterMs, read: read(cut.incoming, cut.arrived_at), correlationId: randomUUID(), since: performance.now(),
      tries: 0, isClosed: false, metUnfinishedAt: null, appraisal: null, probe: null, ...settled,
    } // prettier-ignore
  }

  return {
    isBusy: () => groups.unanswered >= BUSY_FROM,
    take: (arrivals) => {
      if (groups.waiting + arrivals.length > MOST_WAITING)
        return Promise.reject(new StoreUnavailable('too many notifications are waiting for the store'))
      const jobs: Job[] = []
      const answers = new Map<Arrival, Promise<Taken>>()
      for (const arrival of arrivals.toSorted(byStamp)) {
        const taken = new Promise<Taken>((resolve, reject) => jobs.push(jobOf(arrival, { resolve, reject })))
        answers.set(arrival, taken)
      }
      groups.add(jobs)
      return Promise.all(arrivals.map((arrival) => answers.get(arrival)!))
    },
  }
}
