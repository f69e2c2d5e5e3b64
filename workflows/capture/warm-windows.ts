/**
 * A cache of deduplication windows, bounded by the number of notifications in all of them. A window changes in place,
 * so only one group uses it at a time. A group takes a window out of the cache and holds it. A window that would be
 * evicted meanwhile returns to the cache when it is put back.
 */
import { DedupWindow } from '../../domain/dedup/window.ts'
import { dedupStream } from '../../domain/dedup/events.ts'
import { isFoldable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Slice } from '../../domain/ports.ts'

export class WarmWindow {
  readonly stream: string
  readonly window = new DedupWindow()
  /** The revision that an append expects. */
  revision = NO_STREAM
  /**
   * The revision that a conflict reported. If nothing newer can be read, the events have expired and the numbering
   * continues.
   */
  #reported = NO_STREAM
  /** It is ahead of its stream, so it was made from events that do not exist any more. */
  isStale = false

  constructor(stream: string) {
    this.stream = stream
  }

  /** Nothing of its stream has been read. */
  get isCold(): boolean {
    return this.revision === NO_STREAM
  }

  slice(): Slice {
    return { stream: this.stream, from: this.revision + 1 }
  }

  /** Adds what was read after `slice`, up to the end. */
  readOn(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.revision <= this.revision) continue
      if (isFoldable(event) && event.type === 'NotificationSeen') this.window.see(event.data)
      this.revision = event.revision
    }
    this.revision = Math.max(this.revision, this.#reported)
  }

  /** Takes the revision that a conflict reported. */
  conflicted(revision: number): void {
    if (revision < this.revision) this.isStale = true
    else this.#reported = revision
  }
}

export class WarmWindows {
  readonly #limit: number
  readonly #windows = new Map<string, WarmWindow>()
  #notifications = 0

  /** @param limit  most notifications kept in all windows together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a window out; it is empty if it is not cached. Put it back when its group is done. */
  take(userId: number, bankCode: string): WarmWindow {
    const stream = dedupStream(userId, bankCode)
    const warm = this.#windows.get(stream)
    if (!warm) return new WarmWindow(stream)
    this.#windows.delete(stream)
    this.#notifications -= warm.window.size
    return warm
  }

  put(warm: WarmWindow): void {
    if (warm.isStale) return
    this.#windows.set(warm.stream, warm)
    this.#notifications += warm.window.size
    // The oldest window is at the front. A single window may exceed the limit: the next notification still needs it.
    for (const [stream, oldest] of this.#windows) {
      if (this.#notifications <= this.#limit || this.#windows.size === 1) return
      this.#windows.delete(stream)
      this.#notifications -= oldest.window.size
    }
  }
}
