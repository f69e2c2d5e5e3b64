/**
 * The only way to collect work: items that arrive within a time, or up to a number, are handled in one call. The caller
 * keeps the items in a collection of its own, so it decides their order, their limits and which of them replace others.
 */

export interface GatherOptions<Group> {
  /** From the start of one call to the start of the next, milliseconds. Items that arrive meanwhile share a call. */
  apartMs: number
  /** The first item after a pause waits this long for others too. Otherwise, it is handled at once. */
  waitsFirst?: boolean
  /** The stop rule: whether to handle the items now, however little time has passed. */
  isEnough?: () => boolean
  /** The most calls in progress. Default: 1. */
  sideBySide?: number
  /** Whether the timer keeps the process running. Default: true. */
  keepsRunning?: boolean
  /** Takes the items of the next call out of the collection; null if there are none. */
  take: () => Group | null
  /** Handles them. Must not reject. */
  handle: (group: Group) => Promise<unknown>
}

export class Gather<Group> {
  readonly #options: GatherOptions<Group>
  readonly #calls = new Set<Promise<unknown>>()
  #begunAt = -Infinity
  #timer: NodeJS.Timeout | null = null
  /** The next call starts in this turn of the event loop, with all items that arrive in it. */
  #isStarting = false

  constructor(options: GatherOptions<Group>) {
    this.#options = options
  }

  /** An item was added to the collection, or `isEnough` may have changed. */
  added(): void {
    const { isEnough, sideBySide = 1 } = this.#options
    if (this.#isStarting || this.#calls.size >= sideBySide) return
    const isUrgent = isEnough?.() ?? false
    if (this.#timer) {
      if (!isUrgent) return
      clearTimeout(this.#timer)
      this.#timer = null
    }
    const wait = isUrgent ? 0 : this.#wait()
    if (wait > 0) this.#startIn(wait)
    else this.#startNow()
  }

  /** Handles all items without further waiting. Resolves when every call has ended. */
  async flush(): Promise<void> {
    do this.#start()
    while (this.#calls.size > 0 && (await Promise.race(this.#calls), true))
  }

  #wait(): number {
    const { apartMs, waitsFirst = false } = this.#options
    return waitsFirst ? apartMs : this.#begunAt + apartMs - performance.now()
  }

  #startIn(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#start(), milliseconds)
    if (this.#options.keepsRunning === false) this.#timer.unref()
  }

  #startNow(): void {
    this.#isStarting = true
    setImmediate(() => this.#start())
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#isStarting = false
    const { take, handle, sideBySide = 1 } = this.#options
    while (this.#calls.size < sideBySide) {
      const group = take()
      if (group === null) return
      this.#begunAt = performance.now()
      const call = handle(group).finally(() => {
        this.#calls.delete(call)
        this.added()
      })
      this.#calls.add(call)
    }
  }
}
