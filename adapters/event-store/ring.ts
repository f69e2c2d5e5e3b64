// Tests: tests/unit/adapters/event-store/ring.test.ts
/**
 * The newest events, in a ring of bounded size. One reader of the store fills it, and all live subscriptions of the process read
 * from it, each at its own speed. In a burst the ring grows for subscriptions that are behind, up to a limit. A subscription that
 * is slower still finds that the ring no longer contains its position, and reads the store by itself until it is level again. So a
 * slow subscription costs no more memory than that limit, and no time of the others.
 */

interface Bound {
  events: number
  bytes: number
}

/** Small pages are joined up to this size. */
const JOINED: Bound = { events: 250, bytes: 1_048_576 }

/** Always kept, for subscribers that are slightly behind. */
const KEPT: Bound = { events: 8_000, bytes: 16 * 1_048_576 }
/** Kept while a subscription has not read it yet. */
const KEPT_FOR_SLOW: Bound = { events: 64_000, bytes: 48 * 1_048_576 }

/** An event with its position, so that positions can be compared. */
export interface Placed<Position> {
  readonly position: Position
  /** Approximate bytes of its data. */
  readonly size: number
}

/** A live subscription. */
export interface Member<Position> {
  /** The subscription has received all events up to here. */
  position: Position
}

/** The events that a subscription finds in the ring. */
export interface Found<Position, Event> {
  events: Event[]
  /** The position up to which events were checked. */
  to: Position
  /** True if there are no newer events at the moment. */
  newest: boolean
}

interface Page<Position, Event> {
  events: Event[]
  to: Position
  bytes: number
}

export class Ring<Position, Event extends Placed<Position>> {
  readonly #isAfter: (a: Position, b: Position) => boolean
  readonly #members = new Set<Member<Position>>()
  #pages: Page<Position, Event>[] = []
  #events = 0
  #bytes = 0
  /** The ring contains all events after `from`, up to `to`. Null while nothing fills it. */
  #range: { from: Position; to: Position } | null = null
  #isAtHead = false

  constructor(isAfter: (a: Position, b: Position) => boolean) {
    this.#isAfter = isAfter
  }

  get hasMembers(): boolean {
    return this.#members.size > 0
  }

  /** The position up to which it contains the events. Null while nothing fills it. */
  get to(): Position | null {
    return this.#range && this.#range.to
  }

  join(member: Member<Position>): void {
    this.#members.add(member)
  }

  /** @returns whether it was a member */
  leave(member: Member<Position>): boolean {
    return this.#members.delete(member)
  }

  /** Removes all events. The ring is then empty until `begin`. */
  clear(): void {
    this.#pages = []
    this.#events = this.#bytes = 0
    this.#range = null
  }

  /** From now on, the ring, which is empty, will contain all events after this position. @param isAtHead  whether there are none at the moment */
  begin(position: Position, isAtHead: boolean): void {
    this.#range = { from: position, to: position }
    this.#isAtHead = isAtHead
  }

  /** Whether it contains every event after a position that has arrived so far. */
  reaches(position: Position): boolean {
    return this.#range !== null && !this.#isAfter(this.#range.from, position)
  }

  /** At most `most` events after a position that pass the filter. Undefined if the ring does not reach back to the position. */
  after(position: Position, most: number, wanted: (event: Event) => boolean): Found<Position, Event> | undefined {
    if (!this.#range || !this.reaches(position)) return undefined
    const { to } = this.#range
    const events: Event[] = []
    // A subscriber that is up to date needs only the end of the ring, which may be long.
    let first = this.#pages.length
    while (first > 0 && this.#isAfter(this.#pages[first - 1]!.to, position)) first--
    for (const page of this.#pages.slice(first))
      for (const event of page.events) {
        if (!this.#isAfter(event.position, position) || !wanted(event)) continue
        events.push(event)
        if (events.length === most)
          return { events, to: event.position, newest: this.#isAtHead && !this.#isAfter(to, event.position) }
      }
    return { events, to: this.#isAfter(position, to) ? position : to, newest: this.#isAtHead }
  }

  /**
   * Adds the next events.
   * @param to  the position up to which there are no others · @param isAtHead  whether there were no newer ones
   */
  keep(events: readonly Event[], to: Position, isAtHead: boolean): void {
    const range = this.#range
    if (!range) throw new Error('the ring has no beginning')
    const bytes = events.reduce((sum, { size }) => sum + size, 0)
    const last = this.#pages.at(-1)
    if (last && last.events.length + events.length <= JOINED.events && last.bytes + bytes <= JOINED.bytes) {
      last.events.push(...events)
      last.to = to
      last.bytes += bytes
    } else this.#pages.push({ events: [...events], to, bytes })
    this.#events += events.length
    this.#bytes += bytes
    this.#isAtHead = isAtHead
    range.to = to
    while (this.#isMoreThan(KEPT)) {
      const oldest = this.#pages[0]!
      if (this.#isAwaited(oldest.to) && !this.#isMoreThan(KEPT_FOR_SLOW)) break
      this.#pages.shift()
      this.#events -= oldest.events.length
      this.#bytes -= oldest.bytes
      range.from = oldest.to
    }
  }

  #isMoreThan({ events, bytes }: Bound): boolean {
    return this.#events > events || this.#bytes > bytes
  }

  /**
   * Whether a subscription still has to read the oldest page, which ends here. A subscription at an earlier position than the
   * ring reads the store by itself.
   */
  #isAwaited(to: Position): boolean {
    for (const { position } of this.#members) if (this.reaches(position) && this.#isAfter(to, position)) return true
    return false
  }
}
