/**
 * First attempts, from the log. A batch of the log is taken over by noting its transactions here, by user, so an
 * endpoint never holds up the log. From these notes, a few of each user in turn are claimed when the lane has room.
 *
 * New transactions whose data the log has are claimed at once (`new-attempts.ts`). The others, and those that must not be
 * claimed without their rows, wait for the read models. The queue takes over a transaction that cannot be noted, or
 * that has waited for the read models until it is due in the queue, a minute after its capture.
 */
import type { Checkpoint, EventStore, LogEntry, ReadModels } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { pauseAfter, type BackOff } from '../support/retry.ts'
import { openNotedEntries, type NotedEntries } from './noted-entries.ts'
import { WakeSignal } from './wake-signal.ts'
import type { Claim, Claimed } from './queue.ts'

/** Noted transactions of all users together. */
const MOST_NOTED = 100_000

/** Noted transactions with their data, which takes memory. */
const MOST_NEW = 10_000

/** Transactions in one claim. */
const MOST_IN_CLAIM = 256

/**
 * While receiving is overloaded, a claim takes only this many, and the next one waits this long (milliseconds). A phone
 * needs its answer now, but a shop's first call may come seconds later. The queue, in which it is due after a minute,
 * does not give way.
 */
const MOST_GIVING_WAY = 32
const GIVING_WAY = 100

/**
 * When a claim is made, this many more transactions of all users should be in the read models, so that the next claim
 * need not wait for them.
 */
const ASKED_AHEAD = 2_048

/** The pauses after claims that failed one after another. Each failure is a line of the log. */
const AFTER_FAILURE: BackOff = { firstMs: 100, mostMs: 2_000 }

/** Milliseconds between two checks of whether claims may be made again. */
const CHECK_EVERY = 100

/** How long to wait for the read models to pass the transactions to claim, before others have their turn: milliseconds. */
const PATIENCE = 5_000

export interface FirstAttemptsOptions {
  isAfter: EventStore['isAfter']
  readModels: ReadModels
  /** Position of the newest event in the store. */
  end: () => Promise<Checkpoint | null>
  now: () => Date
  /** Whether claims may be made now. */
  mayClaim: () => boolean
  /** Whether receiving is overloaded. */
  givesWay: () => boolean
  /** How many of a user's transactions may be claimed now. */
  roomFor: (userId: number) => number
  /** Whether an entry may be claimed without its rows. */
  isNew: (entry: LogEntry) => boolean
  /** Claims new entries. @returns what it claimed, and the entries that must wait for the read models. It never throws. */
  claimNew: (entries: readonly LogEntry[]) => Promise<{ claimed: Claimed[]; left: LogEntry[] }>
  claim: (transactions: readonly number[]) => Promise<{ claimed: Claimed[]; isGated: boolean }>
  /** Some deliveries were not claimed here, because their rules pass calls one by one. */
  onGated: () => void
  /** Whether a call waits for its rows in the read models. */
  waitsForRows: boolean
  /** The read models have passed a position. */
  onPassed: (position: Checkpoint) => void
  /** Takes over the claimed attempts. The entries are the ones that they were claimed for, by transaction. */
  handOver: (claimed: readonly Claimed[], entries: ReadonlyMap<number, LogEntry>) => Promise<void>
  onError: (error: unknown) => void
}

export class FirstAttempts {
  readonly #options: FirstAttemptsOptions
  readonly #signal = new WakeSignal()
  readonly #newSignal = new WakeSignal()
  readonly #new = openNotedEntries(MOST_NEW)
  /** They wait for the read models. */
  readonly #waiting = openNotedEntries(MOST_NOTED)
  /** Transactions that are being claimed: from before the claim until it is handed over. One group for each loop. */
  readonly #beingClaimed = new Set<ReadonlySet<number>>()
  /** Transactions that were deleted during a claim of new entries; null between two claims. */
  #deletedMeanwhile: Set<number> | null = null
  #hasAskedAhead = false

  constructor(options: FirstAttemptsOptions) {
    this.#options = options
  }

  /** Transactions that wait to be claimed. */
  get noted(): number {
    return this.#new.size() + this.#waiting.size()
  }

  /** Transactions that are being claimed. Their claims may be in the queue, and nothing here holds them yet. */
  get beingClaimed(): number[] {
    return [...this.#beingClaimed].flatMap((group) => [...group])
  }

  note(entries: readonly LogEntry[]): void {
    const isNew = entries.map((entry) => this.#options.isNew(entry))
    const left = this.#new.add(entries.filter((_, index) => isNew[index]))
    this.#noteWaiting([...left, ...entries.filter((_, index) => !isNew[index])])
    this.#newSignal.wake()
  }

  /** Deleted transactions are not claimed. Those that wait for the read models are no longer in them. */
  forget(transactions: ReadonlySet<number>): void {
    this.#new.drop(({ transaction_id }) => transactions.has(transaction_id))
    for (const id of transactions) this.#deletedMeanwhile?.add(id)
  }

  /** There may be room again. */
  wake(): void {
    if (this.#new.size() > 0) this.#newSignal.wake()
    if (this.#waiting.size() > 0) this.#signal.wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#loop(this.#new, this.#newSignal, (entries) => this.#claimNew(entries), signal),
      this.#loop(this.#waiting, this.#signal, (entries) => this.#claim(entries), signal),
    ])
  }

  /**
   * Claims attempts that went back to the queue, as soon as this worker may claim. Those of held rules stay in it, and so do those without
   * room until they are due.
   */
  async claimAgain(claims: readonly Claim[], stopping: AbortSignal): Promise<void> {
    if (claims.length === 0) return
    while (!this.#options.mayClaim()) {
      if (stopping.aborted) return
      await waitUnlessAborted(CHECK_EVERY, stopping)
    }
    const transactions = idsOf(claims)
    await this.#whileBeingClaimed(transactions, async () =>
      this.#options.handOver(await this.#claimStored(transactions), new Map()),
    )
  }

  /** Called when a worker ends, so that the next worker need not wait for the queue. */
  async claimRest(): Promise<void> {
    const rest = this.#waiting.takeAll()
    const fresh = this.#new.takeAll()
    for (let from = 0; from < fresh.length; from += MOST_IN_CLAIM)
      rest.push(...(await this.#options.claimNew(fresh.slice(from, from + MOST_IN_CLAIM))).left)
    for (let from = 0; from < rest.length; from += MOST_IN_CLAIM)
      await this.#claimed(rest.slice(from, from + MOST_IN_CLAIM))
  }

  /** Entries that do not fit are left to the queue. The data of new entries is no longer needed. */
  #noteWaiting(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return
    this.#waiting.add(entries.map((entry) => (entry.captured ? withoutData(entry) : entry)))
    this.#signal.wake()
  }

  async #loop(
    noted: NotedEntries,
    signal: WakeSignal,
    claim: (entries: LogEntry[]) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    stopping.addEventListener('abort', () => signal.wake(), { once: true })
    let failures = 0
    const worked = () => void (failures = 0)
    const failed = (error: unknown): Promise<void> => {
      this.#options.onError(error)
      return waitUnlessAborted(pauseAfter(failures++, AFTER_FAILURE), stopping)
    }
    while (!stopping.aborted) {
      const entries = this.#take(noted)
      if (entries.length === 0) await signal.wait(noted.size() > 0 ? CHECK_EVERY : 60_000)
      else await this.#whileBeingClaimed(idsOf(entries), () => claim(entries)).then(worked, failed)
      if (this.#options.givesWay()) await waitUnlessAborted(GIVING_WAY, stopping)
    }
  }

  async #whileBeingClaimed(transactions: readonly number[], claim: () => Promise<void>): Promise<void> {
    const group = new Set(transactions)
    this.#beingClaimed.add(group)
    try {
      await claim()
    } finally {
      this.#beingClaimed.delete(group)
    }
  }

  #take(noted: NotedEntries): LogEntry[] {
    const { mayClaim, givesWay, roomFor } = this.#options
    if (!mayClaim()) return []
    return noted.take(givesWay() ? MOST_GIVING_WAY : MOST_IN_CLAIM, roomFor)
  }

  async #claimNew(entries: readonly LogEntry[]): Promise<void> {
    const deleted = (this.#deletedMeanwhile = new Set())
    const { claimNew, waitsForRows, readModels } = this.#options
    const last = this.#newest(entries.map(({ checkpoint }) => checkpoint))
    if (waitsForRows) this.#askAhead(this.#new)
    // A call without its rows is better than none: the claim is made.
    const rows = waitsForRows ? readModels.passed(last, PATIENCE).catch(() => false) : false
    const [{ claimed, left }] = await Promise.all([claimNew(entries), rows])
    this.#deletedMeanwhile = null
    this.#noteWaiting(left)
    const kept = deleted.size > 0 ? claimed.filter(({ transaction_id }) => !deleted.has(transaction_id)) : claimed
    if (kept.length > 0) await this.#options.handOver(kept, byTransaction(entries))
  }

  async #claim(entries: readonly LogEntry[]): Promise<void> {
    this.#askAhead(this.#waiting)
    const claimed = await this.#claimed(entries).catch((error: unknown) => {
      // The claim may not have been made. If it was made, the worker finds it by itself, and nobody claims it twice.
      this.#putBack(entries)
      throw error
    })
    if (claimed) await this.#options.handOver(claimed, byTransaction(entries))
    else this.#putBack(await this.#stored(entries))
  }

  /**
   * Asks the read models for the transactions that will be claimed soon. The read models may pause while no caller
   * waits for them.
   */
  #askAhead(noted: NotedEntries): void {
    if (this.#hasAskedAhead || noted.size() === 0) return
    const ahead = noted.ahead(Math.ceil(ASKED_AHEAD / noted.users()))
    const checkpoints = ahead.map(({ checkpoint }) => checkpoint)
    this.#hasAskedAhead = true
    void this.#options.readModels
      .passed(this.#newest(checkpoints), PATIENCE)
      .catch(this.#options.onError)
      .then(() => (this.#hasAskedAhead = false))
  }

  #newest(checkpoints: readonly Checkpoint[]): Checkpoint {
    return checkpoints.reduce((a, b) => (this.#options.isAfter(b, a) ? b : a))
  }

  /** A topic may still have entries of events that the store has lost. Read models never pass them. */
  async #stored(entries: readonly LogEntry[]): Promise<LogEntry[]> {
    const end = await this.#options.end().catch(() => null)
    return entries.filter(({ checkpoint }) => end === null || !this.#options.isAfter(checkpoint, end))
  }

  /** Puts entries back before newer ones. In a burst the read models may be late for longer than one wait. */
  #putBack(entries: readonly LogEntry[]): void {
    const leftSince = this.#options.now().getTime() - LEFT_TO_THE_LOG_MS
    for (const entry of entries.toReversed()) {
      if (Date.parse(entry.at) > leftSince) this.#waiting.putBack(entry)
    }
  }

  /** @returns null if the read models do not have them yet */
  async #claimed(entries: readonly LogEntry[]): Promise<Claimed[] | null> {
    const { readModels, onPassed } = this.#options
    const last = this.#newest(entries.map((entry) => entry.checkpoint))
    if (!(await readModels.passed(last, PATIENCE))) return null
    onPassed(last)
    return this.#claimStored(idsOf(entries))
  }

  /** @param transactions  the read models have them */
  async #claimStored(transactions: readonly number[]): Promise<Claimed[]> {
    const { claimed, isGated } = await this.#options.claim(transactions)
    if (isGated) this.#options.onGated()
    return claimed
  }
}

const idsOf = (of: readonly { transaction_id: number }[]): number[] => [
  ...new Set(of.map(({ transaction_id }) => transaction_id)),
]

const byTransaction = (entries: readonly LogEntry[]): Map<number, LogEntry> =>
  new Map(entries.map((entry) => [entry.transaction_id, entry]))

const withoutData = ({ event_id, type, user_id, transaction_id, revision, at, correlation_id, checkpoint }: LogEntry): LogEntry =>
  ({ event_id, type, user_id, transaction_id, revision, at, correlation_id, checkpoint }) // prettier-ignore
