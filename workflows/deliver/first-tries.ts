/**
 * First tries, from the log. A batch of the log is handed over by noting its transactions here, by user; so no endpoint
 * ever holds the log. From the notes, a few of every user in turn are claimed as the lane gets room. What cannot be noted, or
 * has waited for the read models until it is due in the queue, a minute after its capture, is left to that.
 */
import type { Checkpoint, EventStore, LogEntry, ReadModels } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { Bell } from './bell.ts'
import type { Claimed } from './queue.ts'

/** Transactions noted, of all users. */
const MOST_NOTED = 100_000

/** Transactions in one claim, and of one user in it while others wait. */
const MOST_IN_CLAIM = 256
const MOST_OF_USER = 64

/**
 * While receiving has more to do than it can, a claim takes few, and the next waits so long (milliseconds): a phone must have
 * its answer now, a shop's first call can be seconds later. The queue, where it is due after a minute, does not give way.
 */
const MOST_GIVING_WAY = 32
const GIVING_WAY = 100

/** So many more of all users shall be in the read models when a claim is made, so that the next need not wait for them. */
const ASKED_AHEAD = 2_048

/** Milliseconds the read models may take to pass what is to be claimed, before others have their turn. */
const PATIENCE = 5_000

export interface FirstTriesOptions {
  isAfter: EventStore['isAfter']
  readModels: ReadModels
  now: () => Date
  /** Whether anything may be claimed now. */
  mayClaim: () => boolean
  /** Whether receiving has more to do than it can. */
  givesWay: () => boolean
  /** How many of a user's transactions may be claimed now. */
  roomFor: (userId: number) => number
  claim: (transactions: readonly number[]) => Promise<{ claimed: Claimed[]; isGated: boolean }>
  /** Some are not claimed here: their rules let calls through one by one. */
  onGated: () => void
  /** Takes over what was claimed; the entries are those it was claimed for, by transaction. */
  handOver: (claimed: readonly Claimed[], entries: ReadonlyMap<number, LogEntry>) => Promise<void>
  onError: (error: unknown) => void
}

export class FirstTries {
  readonly #options: FirstTriesOptions
  readonly #bell = new Bell()
  /** By user; the map's order is whose turn is next. */
  readonly #notes = new Map<number, LogEntry[]>()
  #noted = 0
  #hasAskedAhead = false

  constructor(options: FirstTriesOptions) {
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
    this.#bell.ring()
  }

  /** There may be room again. */
  wake(): void {
    if (this.#noted > 0) this.#bell.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#bell.ring(), { once: true })
    while (!signal.aborted) {
      const entries = this.#take()
      if (entries.length === 0) await this.#bell.wait(this.#noted > 0 ? 100 : 60_000)
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

  /** The newest half of the user with the most noted attempts, so that other users need not wait. */
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
    else this.#putBack(entries)
  }

  /** Asks the read models for what will be claimed soon; they may pause while nothing waits for them. */
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

  /** In front of what came later. In a burst the read models are late for longer than anybody waits at once. */
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

  /** @returns null where the read models do not have them yet */
  async #claimed(entries: readonly LogEntry[]): Promise<Claimed[] | null> {
    const { readModels, claim, onGated } = this.#options
    const last = this.#newest(entries.map((entry) => entry.checkpoint))
    if (!(await readModels.passed(last, PATIENCE))) return null
    const { claimed, isGated } = await claim([...new Set(entries.map((entry) => entry.transaction_id))])
    if (isGated) onGated()
    return claimed
  }
}
