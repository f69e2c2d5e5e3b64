/**
 * First attempts, from the log. A batch of the log is taken over by noting its transactions here, by user, so an
 * endpoint never holds up the log. From these notes, a few of each user in turn are claimed when the lane has room. The
 * queue takes over a transaction that cannot be noted, or that has waited for the read models until it is due in the
 * queue, a minute after its capture.
 */
import type { Checkpoint, EventStore, LogEntry, ReadModels } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { WakeSignal } from './wake-signal.ts'
import type { Claimed } from './queue.ts'

/** Noted transactions of all users together. */
const MOST_NOTED = 100_000

/** Transactions in one claim, and those of one user in it while other users wait. */
const MOST_IN_CLAIM = 256
const MOST_OF_USER = 64

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
  claim: (transactions: readonly number[]) => Promise<{ claimed: Claimed[]; isGated: boolean }>
  /** Some deliveries were not claimed here, because their rules pass calls one by one. */
  onGated: () => void
  /** Takes over the claimed attempts. The entries are the ones that they were claimed for, by transaction. */
  handOver: (claimed: readonly Claimed[], entries: ReadonlyMap<number, LogEntry>) => Promise<void>
  onError: (error: unknown) => void
}

export class FirstAttempts {
  readonly #options: FirstAttemptsOptions
  readonly #signal = new WakeSignal()
  /** By user. The order of the map is the order of the turns. */
  readonly #notes = new Map<number, LogEntry[]>()
  #noted = 0
  #hasAskedAhead = false

  constructor(options: FirstAttemptsOptions) {
    this.#options = options
  }

  /** Transactions that wait to be claimed. */
  get noted(): number {
    return this.#noted
  }

  note(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      const notes = this.#notes.get(entry.user_id)
      if (notes) notes.push(entry)
      else this.#notes.set(entry.user_id, [entry])
      this.#noted++
      if (this.#noted > MOST_NOTED) this.#leaveToTheQueue()
    }
    this.#signal.wake()
  }

  /** There may be room again. */
  wake(): void {
    if (this.#noted > 0) this.#signal.wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#signal.wake(), { once: true })
    while (!signal.aborted) {
      const entries = this.#take()
      if (entries.length === 0) await this.#signal.wait(this.#noted > 0 ? 100 : 60_000)
      else await this.#claim(entries).catch(this.#options.onError)
      if (this.#options.givesWay()) await waitUnlessAborted(GIVING_WAY, signal)
    }
  }

  /** Called when a worker ends, so that the next worker need not wait for the queue. */
  async claimRest(): Promise<void> {
    const rest = [...this.#notes.values()].flat()
    this.#notes.clear()
    this.#noted = 0
    for (let from = 0; from < rest.length; from += MOST_IN_CLAIM)
      await this.#claimed(rest.slice(from, from + MOST_IN_CLAIM))
  }

  /** Drops the newest half of the notes of the user with the most notes, so that other users need not wait. */
  #leaveToTheQueue(): void {
    const [most] = [...this.#notes.values()].sort((a, b) => b.length - a.length)
    const left = most!.splice(Math.floor(most!.length / 2))
    this.#noted -= left.length
  }

  #take(): LogEntry[] {
    const taken: LogEntry[] = []
    if (!this.#options.mayClaim()) return taken
    const users = [...this.#notes.keys()]
    const most = this.#options.givesWay() ? MOST_GIVING_WAY : MOST_IN_CLAIM
    const share = users.length > 1 ? Math.min(MOST_OF_USER, most) : most
    for (const user of users) {
      const count = Math.min(share, most - taken.length, this.#options.roomFor(user))
      if (count === 0) continue
      const notes = this.#notes.get(user)!
      taken.push(...notes.splice(0, count))
      this.#notes.delete(user)
      if (notes.length > 0) this.#notes.set(user, notes)
    }
    this.#noted -= taken.length
    return taken
  }

  async #claim(entries: readonly LogEntry[]): Promise<void> {
    this.#askAhead()
    const claimed = await this.#claimed(entries)
    if (claimed) await this.#options.handOver(claimed, new Map(entries.map((entry) => [entry.transaction_id, entry])))
    else this.#putBack(await this.#stored(entries))
  }

  /**
   * Asks the read models for the transactions that will be claimed soon. The read models may pause while no caller
   * waits for them.
   */
  #askAhead(): void {
    if (this.#hasAskedAhead || this.#noted === 0) return
    const ofEach = Math.ceil(ASKED_AHEAD / this.#notes.size)
    const checkpoints = [...this.#notes.values()].map((notes) => notes[Math.min(ofEach, notes.length) - 1]!.checkpoint)
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

  /** Puts entries back in front of newer ones. In a burst the read models may be late for longer than one wait. */
  #putBack(entries: readonly LogEntry[]): void {
    const leftSince = this.#options.now().getTime() - LEFT_TO_THE_LOG_MS
    for (const entry of entries.toReversed()) {
      if (Date.parse(entry.at) <= leftSince) continue
      const notes = this.#notes.get(entry.user_id)
      if (notes) notes.unshift(entry)
      else this.#notes.set(entry.user_id, [entry])
      this.#noted++
    }
  }

  /** @returns null if the read models do not have them yet */
  async #claimed(entries: readonly LogEntry[]): Promise<Claimed[] | null> {
    const { readModels, claim, onGated } = this.#options
    const last = this.#newest(entries.map((entry) => entry.checkpoint))
    if (!(await readModels.passed(last, PATIENCE))) return null
    const { claimed, isGated } = await claim([...new Set(entries.map((entry) => entry.transaction_id))])
    if (isGated) onGated()
    return claimed
  }
}
