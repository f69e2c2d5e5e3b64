// Tests: tests/integration/delivery/delivery.test.ts
/** Where attempts come from: first attempts from the log; retries, and attempts of dead workers, from the queue. Claims them. */
import type { Checkpoint, LogEntry } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import { PATIENCE, type Calls, type Demand } from './calls.ts'
import { retry } from '../support/retry.ts'
import { Claims } from './claims.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import { openDueRows, type DueRows } from './due-rows.ts'
import { FirstAttempts } from './first-attempts.ts'
import type { Heartbeat } from './heartbeat.ts'
import { NewAttempts } from './new-attempts.ts'
import { NO_ROOM } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

/** The calls that a limited rule may make per minute are spread over this many milliseconds, slightly more than a minute. */
const LIMIT_SPREAD_OVER = 61_100

/** Milliseconds after its capture. Any process may then make a first attempt that the log has not made. */
const SHARED_AFTER_MS = 2_000

export interface SourcesOptions {
  options: DeliveryOptions
  /** The name under which this worker claims. */
  worker: string
  tracked: TrackedTransactions
  heartbeat: Heartbeat
  calls: Calls
  /** Whether no worker can have attempted this entry's deliveries before. */
  isFirst: (entry: LogEntry) => boolean
  /** After it aborts, nothing is claimed. */
  stopping: AbortSignal
}

export interface Sources extends Demand {
  firstAttempts: FirstAttempts
  dueRows: DueRows
  newAttempts: NewAttempts
  /** Whether claims whose responses were lost should be looked for again. */
  mayFindLost: () => boolean
  /** Takes a batch of the log. */
  takeFromLog: (entries: readonly LogEntry[]) => Promise<void>
}

export const openSources = (given: SourcesOptions): Sources => {
  const { options, worker, tracked, heartbeat, calls, isFirst, stopping } = given
  const { store, queue, readModels, givesWay = () => false, onError = () => {} } = options
  const { lanes, claimedJobs, recorder } = calls
  const mayClaim = () => !stopping.aborted && !recorder.isBehind() && !heartbeat.isSilent()
  const isAfter = (a: Checkpoint, b: Checkpoint): boolean => store.isAfter(a, b)

  let gatedAt = -Infinity

  const claims = new Claims({
    worker,
    queue,
    store,
    tracked,
    lanes,
    dead: heartbeat.dead,
    isFirst,
    beingClaimed: () => [...newAttempts.claimedAhead, ...firstAttempts.beingClaimed],
    begin: (claimed) => claimedJobs.begin(claimed),
    endOrphan: ({ transaction_id, rule_id }) =>
      recorder.submit({ transaction_id, rule_id, at: heartbeat.now(), result: null }),
    stopping,
    onLost: (error) => claimFailed(error),
    onError,
  })

  const newAttempts: NewAttempts = new NewAttempts({
    worker,
    queue,
    isAfter,
    readModels,
    isFirst,
    isLeftToTheLog: ({ at }) => Date.parse(at) > heartbeat.now().getTime() - LEFT_TO_THE_LOG_MS,
    fullRules: () => lanes.first.fullRules(),
    mayClaimAhead: (users) =>
      mayClaim() &&
      !givesWay() &&
      firstAttempts.noted === 0 &&
      [...users].every((user) => lanes.first.roomFor(user) > 0),
    onLost: (error, newest) => newClaimLost(error, newest),
  })

  const firstAttempts: FirstAttempts = new FirstAttempts({
    isAfter,
    readModels,
    end: () => store.end(),
    now: () => heartbeat.earliestNow(),
    mayClaim,
    givesWay,
    roomFor: (userId) => lanes.first.roomFor(userId),
    onGated: () => {
      gatedAt = performance.now()
      dueRows.wake()
    },
    isNew: (entry) => newAttempts.isNew(entry),
    claimNew: (entries) => newAttempts.claim(entries),
    claim: (transactions) => claims.first(transactions),
    waitsForRows: options.mustShow === undefined,
    onPassed: (position) => newAttempts.hasPassed(position),
    handOver: (claimed, entries) => claims.beginFirst(claimed, entries),
    onError: (error) => claimFailed(error),
  })

  const dueRows = openDueRows({
    room: () => (mayClaim() ? lanes.room() : NO_ROOM),
    isAnyFull: () => lanes.shares().left.some(({ left }) => left === 0) || lanes.limitedWaiting().length > 0,
    claimDue: async (room) => {
      const due = await claims.due(room, firstEarlier(firstAttempts.noted, heartbeat, gatedAt))
      // The next call of a limited rule becomes due a little later.
      for (const { rule } of due.claimed)
        if (rule.max_per_minute !== null) dueRows.wakeIn(LIMIT_SPREAD_OVER / rule.max_per_minute)
      return due
    },
    takeOver: (limit) => claims.takeOver(limit),
    handOver: (due) => claims.beginChecked(due),
    onError: (error) => claimFailed(error),
  })

  const { claimFailed, newClaimLost } = openLostClaims(options, claims, dueRows, stopping)

  return {
    firstAttempts,
    newAttempts,
    dueRows,
    mayFindLost: () => claims.mayFindLost,
    takeFromLog: openIntake(given, { firstAttempts, newAttempts, dueRows }),
    wake: () => dueRows.wake(),
    wakeIn: (milliseconds) => dueRows.wakeIn(milliseconds),
    roomAgain: () => {
      firstAttempts.wake()
      dueRows.roomAgain()
    },
    claimAgain: (claims) => {
      const first = claims.filter(({ lane }) => lane === 'first')
      void retry(() => firstAttempts.claimAgain(first, stopping), { signal: stopping, onFailure: claimFailed })
      dueRows.wake()
    },
    claimFailed,
  }
}

/**
 * A process with nothing to do takes some of the first attempts that wait in a busy one, because a topic gives all transactions
 * of an account to one process. It also takes those that a dead process had noted, and those whose rule was ordered or limited when
 * the log brought them, and is so no longer.
 * @param noted  first attempts that wait in this process
 * @param gatedAt  when the log last brought one whose rule lets calls through one by one: milliseconds of `performance.now()`
 * @returns by how many seconds it takes them before they are due in the queue
 */
const firstEarlier = (noted: number, heartbeat: Heartbeat, gatedAt: number): number => {
  if (noted > 0) return 0
  const areShared = heartbeat.hasOthers() || performance.now() - gatedAt < LEFT_TO_THE_LOG_MS
  const ofTheBusy = areShared ? LEFT_TO_THE_LOG_MS - SHARED_AFTER_MS : 0
  const ofTheDead = heartbeat.lostUntil() + LEFT_TO_THE_LOG_MS - heartbeat.now().getTime()
  return Math.max(ofTheBusy, ofTheDead, 0) / 1_000
}

/** Claims whose answer was lost: the queue may have made them nevertheless. Then they are taken over. */
const openLostClaims = (
  { store, readModels, onError = () => {} }: DeliveryOptions,
  claims: Claims,
  dueRows: DueRows,
  stopping: AbortSignal,
) => {
  const claimFailed = (error: unknown): void => {
    claims.mayHaveLost()
    dueRows.takeOverSoon()
    onError(error)
  }

  /** Lost claims are found when the read models have their deliveries. */
  const newClaimLost = (error: unknown, newest: Checkpoint | null): void => {
    onError(error)
    const takeOver = async (): Promise<void> => {
      const upTo = newest ?? (await retry(() => store.end(), { signal: stopping, onFailure: onError }))
      while (upTo && !stopping.aborted && !(await readModels.passed(upTo, PATIENCE)));
      claims.mayHaveLost()
      dueRows.takeOverSoon()
      dueRows.wake()
    }
    void takeOver().catch(onError)
  }

  return { claimFailed, newClaimLost }
}

/** @returns a function that takes a batch of the log */
const openIntake =
  (
    { options: { readModels, mustShow, onError = () => {} }, heartbeat, calls: { claimedJobs } }: SourcesOptions,
    { firstAttempts, newAttempts, dueRows }: Pick<Sources, 'firstAttempts' | 'newAttempts' | 'dueRows'>,
  ) =>
  async (entries: readonly LogEntry[]): Promise<void> => {
    const leftToTheQueue = new Date(heartbeat.earliestNow().getTime() - LEFT_TO_THE_LOG_MS).toISOString()
    if (entries.length > 0) mustShow?.(entries.at(-1)!.checkpoint)
    newAttempts.note(entries)
    const opened = entries.filter(({ type }) => type === 'TransactionCaptured' || type === 'TransactionCompleted')
    // A claimed one is new, even if the clock that dated it is far behind.
    firstAttempts.note(opened.filter((entry) => entry.at > leftToTheQueue || newAttempts.isClaimedAhead(entry)))
    const deletions = entries.filter(({ type }) => type === 'TransactionDeleted')
    const deleted = new Set(deletions.map(({ transaction_id }) => transaction_id))
    if (deleted.size > 0) {
      firstAttempts.forget(deleted)
      claimedJobs.release((job) => deleted.has(job.claimed.transaction_id))
    }
    const retried = entries.findLast(({ type }) => type === 'WebhookRetryRequested')
    if (retried) void readModels.passed(retried.checkpoint, PATIENCE).then(() => dueRows.wake(), onError)
  }
