// Tests: tests/unit/adapters/event-store/postgres/tail.test.ts
/**
 * Reads the newest events once for all live subscriptions of the process, into a ring (`../ring.ts`). A subscription whose
 * position the ring no longer contains catches up from the tables like a new one.
 *
 * A poll is the authoritative source: every second, or every 250 ms until a notification has shown that notifications arrive.
 * A notification only makes the poll run sooner. Events that this process appends are not read back: if they directly follow
 * the end of the ring, they are put into it. The tail runs while at least one subscription exists.
 */
import { StoreWentBack } from '../../../domain/errors.ts'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Database } from '../../database/database.ts'
import { waitUnlessAborted, waitUntilWoken } from '../../../workflows/support/abort.ts'
import type { History } from '../history.ts'
import { compareHistory } from './compare-history.ts'
import { listen } from './listener.ts'
import { Ring, type Member } from '../ring.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'
import type { PositionedEvent } from './positioned-event.ts'
import type { Pages } from './pages.ts'

/** Pauses between reads without an announcement: until one has arrived over the current connection, and after that. */
const POLL_MS = 250
const POLL_ANNOUNCED_MS = 1_000
/** Under load, this pause lets one read cover many commits. */
const LEAST_GAP_MS = 3
const PAGE = 1_000

export interface TailOptions<Event extends RecordedEvent> {
  database: Database
  pages: Pages<Event>
  history: History
  /** Called with every failed read. Reading continues, unless the store went back. */
  onFailure: (error: unknown) => void
  /** Whether an append of this process is in flight. If so, a call of `settled` will follow. */
  isAppending: () => boolean
}

export class Tail<Event extends RecordedEvent> {
  readonly #options: TailOptions<Event>
  /** Whether the newest announcement came over the current connection. A pooler may pass on no announcements. */
  #getsAnnouncements = false
  readonly ring = new Ring<number, PositionedEvent<Event>>((a, b) => a > b)
  #stop = new AbortController()
  #waiters: (() => void)[] = []
  /** Wakes the loop that reads, while it sleeps. */
  readonly #sleeping = new Set<() => void>()
  #isAnnounced = false
  /** The newest position that was announced while this process's own append was in flight. */
  #announced = 0

  constructor(options: TailOptions<Event>) {
    this.#options = options
  }

  /** Keeps the tail running until the member leaves. */
  join(member: Member<number>): void {
    const isRunning = this.ring.hasMembers
    this.ring.join(member)
    if (!isRunning) this.#start()
  }

  leave(member: Member<number>): void {
    if (this.ring.leave(member) && !this.ring.hasMembers) this.#stop.abort()
  }

  /** Resolves at the next read, even if it finds nothing new, so at the latest after about one poll interval; or when `release` is called. */
  moved(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /** Ends the waits of all members. Members that continue wait again. */
  release(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve()
  }

  /**
   * Adds the events that this process has just appended after a position. If that position is not the end of the ring,
   * because other processes appended in between or there is no subscription, the next read returns them.
   */
  offer(after: number, appended: () => PositionedEvent<Event>[]): void {
    if (!this.ring.hasMembers || this.ring.to !== after) return
    const events = appended()
    this.ring.keep(events, events.at(-1)!.position, true)
    this.release()
  }

  #start(): void {
    this.#stop = new AbortController()
    this.ring.clear()
    const { signal } = this.#stop
    void listen(this.#options.database, (newest) => this.#onAnnounced(newest), signal)
    void this.#run(signal)
  }

  /** An append of this process has its answer. Newer events than that come from other processes. */
  settled(): void {
    const newest = this.#announced
    this.#announced = 0
    if (newest > 0) this.#onAnnounced(newest)
  }

  #onAnnounced(newest: number | null): void {
    this.#getsAnnouncements = newest !== null
    if (newest !== null && this.ring.to !== null && newest <= this.ring.to) return
    // Most likely this announces our own append. Its answer is on its way and adds the events without a read.
    if (newest !== null && this.#options.isAppending()) {
      this.#announced = Math.max(this.#announced, newest)
      return
    }
    this.#isAnnounced = true
    for (const wake of this.#sleeping) wake()
  }

  async #run(signal: AbortSignal): Promise<void> {
    const onFailure = (error: unknown): void => {
      if (!signal.aborted) this.#options.onFailure(error)
      if (error instanceof StoreWentBack) throw error
    }
    while (!signal.aborted) {
      const started = performance.now()
      this.#isAnnounced = false
      const reading = retry(() => this.#read(signal), { signal, backOff: BACK_OFF, onFailure })
      // The subscriptions find out by themselves that the store went back.
      const isBehind = await reading.catch(() => 'went back' as const)
      if (isBehind === 'went back') return this.release()
      this.release()
      if (isBehind) continue
      const pollMs = this.#getsAnnouncements ? POLL_ANNOUNCED_MS : POLL_MS
      if (!this.#isAnnounced) await waitUntilWoken(pollMs, signal, this.#sleeping)
      const gap = started + LEAST_GAP_MS - performance.now()
      if (gap > 0) await waitUnlessAborted(gap, signal)
    }
  }

  /** Reads the next page. Returns whether there are more events. */
  async #read(signal: AbortSignal): Promise<boolean> {
    const after = this.ring.to
    if (after === null) {
      const [head] = await this.#options.database.query<{ position: number }>('SELECT store.newest() AS position')
      if (!signal.aborted) this.ring.begin(head!.position, true)
      return true
    }
    const page = await this.#options.pages.read(after, PAGE)
    if (signal.aborted) return false
    // This process's own appends were added meanwhile, so the page is outdated.
    if (this.ring.to !== after) return page.head > this.ring.to!
    if (page.head < after) await compareHistory(this.#options.database, this.#options.history)
    if (page.to === after) return false
    this.#options.history.saw(page.events.map(({ event }) => event))
    this.ring.keep(page.events, page.to, page.to >= page.head)
    return page.to < page.head
  }
}
