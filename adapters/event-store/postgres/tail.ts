/**
 * The newest events. One process reads them once and keeps them in a ring of bounded size for all its live subscriptions.
 * Each subscription reads from the ring at its own speed. In a burst the ring grows for subscriptions that are behind, up to
 * a limit. A subscription that is slower still finds that the ring no longer contains its position, and catches up from the
 * tables like a new one. So a slow subscription costs no more memory than that limit, and no time of the others.
 *
 * A poll every 250 ms is the authoritative source. A notification only makes the poll run sooner. Events that this process
 * appends are not read back: if they directly follow the end of the ring, they are put into it. The tail runs while at least
 * one subscription exists.
 */
import { StoreWentBack } from '../../../domain/errors.ts'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Database } from '../../database/database.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import type { History } from '../history.ts'
import { compareWith } from './checked.ts'
import { listen } from './listener.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'
import type { PositionedEvent } from './positioned-event.ts'
import type { Pages } from './pages.ts'
import type { Page } from './reading.ts'

/** Pauses between reads without an announcement: while announcements may be missing, and after one on the present connection. */
const POLL_MS = 250
const POLL_ANNOUNCED_MS = 1_000
/** Under load, this pause lets one read cover many commits. */
const LEAST_GAP_MS = 3
const PAGE = 1_000

interface Bound {
  events: number
  bytes: number
}

/** Always kept, for subscribers that are slightly behind. */
const KEPT: Bound = { events: 8_000, bytes: 16 * 1_048_576 }
/** Kept while a subscription has not read it yet. */
const KEPT_FOR_SLOW: Bound = { events: 64_000, bytes: 48 * 1_048_576 }

/** A page in the ring. */
interface Kept<Event extends RecordedEvent> extends Page<Event> {
  bytes: number
}

/** A live subscription. */
export interface Member {
  /** The subscription has received all events up to here. */
  position: number
}

/** The events that a subscription finds in the ring. */
export interface Found<Event extends RecordedEvent> {
  events: PositionedEvent<Event>[]
  /** The position up to which events were checked. */
  to: number
  /** True if there are no newer events at the moment. */
  newest: boolean
}

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
  readonly #database: Database
  readonly #pages: Pages<Event>
  readonly #history: History
  readonly #onFailure: (error: unknown) => void
  /** Whether the newest announcement came over the present connection. A pooler may pass on none. */
  #hearsCommits = false
  readonly #isAppending: () => boolean
  readonly #members = new Set<Member>()
  #stop = new AbortController()
  #ring: Kept<Event>[] = []
  #keptEvents = 0
  #keptBytes = 0
  /** The ring contains all events after `#from`, up to `#to`. */
  #from = 0
  #to: number | null = null
  #waiters: (() => void)[] = []
  #wake: () => void = () => {}
  #isAnnounced = false
  /** The newest position that was announced while this process's own append was in flight. */
  #announced = 0

  constructor({ database, pages, history, onFailure, isAppending }: TailOptions<Event>) {
    this.#database = database
    this.#pages = pages
    this.#history = history
    this.#onFailure = onFailure
    this.#isAppending = isAppending
  }

  /** Keeps the tail running until the member leaves. */
  join(member: Member): void {
    this.#members.add(member)
    if (this.#members.size === 1) this.#start()
  }

  leave(member: Member): void {
    if (this.#members.delete(member) && this.#members.size === 0) this.#stop.abort()
  }

  /**
   * At most `most` events after a position that pass the filter. Undefined if the ring does not reach back to the position.
   */
  after(position: number, most: number, wanted: (placed: PositionedEvent<Event>) => boolean): Found<Event> | undefined {
    if (this.#to === null || position < this.#from) return undefined
    const events: PositionedEvent<Event>[] = []
    // A subscriber that is up to date needs only the end of the ring, which may be long.
    let first = this.#ring.length
    while (first > 0 && this.#ring[first - 1]!.to > position) first--
    for (const page of this.#ring.slice(first))
      for (const placed of page.events) {
        if (placed.position <= position || !wanted(placed)) continue
        events.push(placed)
        if (events.length === most)
          return { events, to: placed.position, newest: placed.position === this.#to && this.#isAtHead() }
      }
    return { events, to: Math.max(position, this.#to), newest: this.#isAtHead() }
  }

  /** Resolves at the next read, even if it finds nothing new; so at the latest after about one poll interval. */
  moved(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  /**
   * Adds the events that this process has just appended after a position. If that position is not the end of the ring,
   * because other processes appended in between or there is no subscription, the next read returns them.
   */
  offer(after: number, appended: () => PositionedEvent<Event>[]): void {
    if (this.#members.size === 0 || this.#to !== after) return
    const events = appended()
    const to = events.at(-1)!.position
    this.#keep({ events, to, head: to })
    this.#notify()
  }

  #isAtHead(): boolean {
    const last = this.#ring.at(-1)
    return last === undefined || last.to >= last.head
  }

  #start(): void {
    this.#stop = new AbortController()
    this.#ring = []
    this.#keptEvents = this.#keptBytes = 0
    this.#to = null
    const { signal } = this.#stop
    void listen(this.#database, (newest) => this.#onAnnounced(newest), signal)
    void this.#run(signal)
  }

  /** An append of this process has its answer. Newer events than that come from other processes. */
  settled(): void {
    const newest = this.#announced
    this.#announced = 0
    if (newest > 0) this.#onAnnounced(newest)
  }

  #onAnnounced(newest: number | null): void {
    this.#hearsCommits = newest !== null
    if (newest !== null && this.#to !== null && newest <= this.#to) return
    // Most likely this announces our own append. Its answer is on its way and adds the events without a read.
    if (newest !== null && this.#isAppending()) {
      this.#announced = Math.max(this.#announced, newest)
      return
    }
    this.#isAnnounced = true
    this.#wake()
  }

  async #run(signal: AbortSignal): Promise<void> {
    const onFailure = (error: unknown): void => {
      if (!signal.aborted) this.#onFailure(error)
      if (error instanceof StoreWentBack) throw error
    }
    while (!signal.aborted) {
      const started = performance.now()
      this.#isAnnounced = false
      const reading = retry(() => this.#read(signal), { signal, backOff: BACK_OFF, onFailure })
      // The subscriptions find out by themselves that the store went back.
      const isBehind = await reading.catch(() => 'went back' as const)
      if (isBehind === 'went back') return this.#notify()
      this.#notify()
      if (isBehind) continue
      if (!this.#isAnnounced) await this.#sleep(signal)
      const gap = started + LEAST_GAP_MS - performance.now()
      if (gap > 0) await waitUnlessAborted(gap, signal)
    }
  }

  #notify(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve()
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(done, this.#hearsCommits ? POLL_ANNOUNCED_MS : POLL_MS)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }

  /** Reads the next page. Returns whether there are more events. */
  async #read(signal: AbortSignal): Promise<boolean> {
    if (this.#to === null) {
      const [head] = await this.#database.query<{ position: number }>('SELECT store.newest() AS position')
      if (!signal.aborted) this.#from = this.#to = head!.position
      return true
    }
    const after = this.#to
    const page = await this.#pages.read(after, PAGE)
    if (signal.aborted) return false
    // This process's own appends were added meanwhile, so the page is outdated.
    if (this.#to !== after) return page.head > this.#to
    if (page.head < after) await compareWith(this.#database, this.#history)
    if (page.to === after) return false
    this.#history.saw(page.events.map(({ event }) => event))
    this.#keep(page)
    return page.to < page.head
  }

  #keep(page: Page<Event>): void {
    const bytes = page.events.reduce((sum, { size }) => sum + size, 0)
    const last = this.#ring.at(-1)
    if (last && last.events.length + page.events.length <= PAGE / 4) {
      last.events.push(...page.events)
      last.to = page.to
      last.head = page.head
      last.bytes += bytes
    } else this.#ring.push({ ...page, events: [...page.events], bytes })
    this.#keptEvents += page.events.length
    this.#keptBytes += bytes
    this.#to = page.to
    while (this.#ring.length > 1 && this.#isMoreThan(KEPT)) {
      const oldest = this.#ring[0]!
      if (this.#isAwaited(oldest) && !this.#isMoreThan(KEPT_FOR_SLOW)) break
      this.#ring.shift()
      this.#keptEvents -= oldest.events.length
      this.#keptBytes -= oldest.bytes
      this.#from = oldest.to
    }
  }

  #isMoreThan({ events, bytes }: Bound): boolean {
    return this.#keptEvents > events || this.#keptBytes > bytes
  }

  /**
   * Whether a subscription still has to read the oldest page. A subscription at an earlier position catches up from the
   * tables.
   */
  #isAwaited({ to }: Page<Event>): boolean {
    for (const { position } of this.#members) if (position >= this.#from && position < to) return true
    return false
  }
}
