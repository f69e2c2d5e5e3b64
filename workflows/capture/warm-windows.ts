/**
 * A cache of deduplication windows, bounded by their memory. A window changes in place,
 * so only one group uses it at a time. A group takes a window out of the cache and holds it. A window that would be
 * evicted meanwhile returns to the cache when it is put back.
 */
import { DedupWindow, fullPartsFor } from '../../domain/dedup/window.ts'
import { dedupStream } from '../../domain/dedup/events.ts'
import { isFoldable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Slice } from '../../domain/ports.ts'
import type { KeptSnapshot } from '../support/snapshots.ts'

export class WarmWindow {
  readonly userId: number
  readonly bankCode: string
  readonly stream: string
  window = new DedupWindow()
  /** The revision that an append expects. */
  revision = NO_STREAM
  /** The id of the event at the revision; null if there is none, or if it is not known. */
  lastId: string | null = null
  /** Of the last snapshot: the numbering of its entries, and the parts that stay the same. */
  saved: { numbering: number; parts: readonly string[] } | null = null
  /** The revision when a snapshot was last made. */
  offered = NO_STREAM
  #isRestored = false
  /**
   * The revision that a conflict reported. If nothing newer can be read, the events have expired and the numbering
   * continues.
   */
  #reported = NO_STREAM
  /** It is ahead of its stream, so it was made from events that no longer exist. */
  isStale = false

  constructor(userId: number, bankCode: string) {
    this.userId = userId
    this.bankCode = bankCode
    this.stream = dedupStream(userId, bankCode)
  }

  /** Nothing of its stream is known. */
  get isCold(): boolean {
    return this.revision === NO_STREAM && this.#reported === NO_STREAM
  }

  /** Nothing of its stream has been read, or only a snapshot. */
  get isBehind(): boolean {
    return this.revision === NO_STREAM || this.#isRestored
  }

  /** Takes the place of a window that is cold or behind. */
  restored(window: DedupWindow, { revision, event_id, parts }: KeptSnapshot): void {
    this.window = window
    this.revision = this.offered = revision
    this.lastId = event_id
    this.saved = { numbering: window.numbering, parts: parts.slice(0, fullPartsFor(window.size)) }
    this.#isRestored = true
  }

  slice(): Slice {
    return { stream: this.stream, from: this.revision + 1 }
  }

  /** Adds what was read after `slice`, up to the end. */
  readOn(events: readonly StoredEvent[]): void {
    this.#isRestored = false
    for (const event of events) {
      if (event.revision <= this.revision) continue
      if (isFoldable(event) && event.type === 'NotificationSeen') this.window.see(event.data)
      this.revision = event.revision
      this.lastId = event.id
    }
    if (this.revision < this.#reported) this.lastId = null
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
  readonly #windows = new Map<string, { warm: WarmWindow; bytes: number }>()
  #bytes = 0

  /** @param limit  bytes that all windows together may take */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a window out; it is empty if it is not cached. Put it back when its group is done. */
  take(userId: number, bankCode: string): WarmWindow {
    const stream = dedupStream(userId, bankCode)
    const kept = this.#windows.get(stream)
    if (!kept) return new WarmWindow(userId, bankCode)
    this.#drop(stream, kept.bytes)
    return kept.warm
  }

  put(warm: WarmWindow): void {
    if (warm.isStale) return
    const { bytes } = warm.window
    this.#windows.set(warm.stream, { warm, bytes })
    this.#bytes += bytes
    // The oldest window is at the front. A single window may exceed the limit: the next notification still needs it.
    for (const [stream, oldest] of this.#windows) {
      if (this.#bytes <= this.#limit || this.#windows.size === 1) return
      this.#drop(stream, oldest.bytes)
    }
  }

  #drop(stream: string, bytes: number): void {
    this.#windows.delete(stream)
    this.#bytes -= bytes
  }
}
