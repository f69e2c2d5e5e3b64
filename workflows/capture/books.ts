/**
 * A cache of deduplication windows, bounded by the number of notifications in all of them. A window changes in place,
 * so only one group uses it at a time. A group takes a window out of the cache and holds it. A window that would be
 * evicted meanwhile returns to the cache when it is put back.
 */
import { Book } from '../../domain/dedup/window.ts'
import { bookStream } from '../../domain/dedup/events.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Slice } from '../../domain/ports.ts'

export class WarmBook {
  readonly stream: string
  readonly book = new Book()
  /** The revision that an append expects. */
  revision = NO_STREAM
  /**
   * The revision that a conflict reported. If nothing newer can be read, the events have expired and the numbering
   * continues.
   */
  #told = NO_STREAM

  constructor(stream: string) {
    this.stream = stream
  }

  slice(): Slice {
    return { stream: this.stream, from: this.revision + 1 }
  }

  /** Adds what was read after `slice`, up to the end. */
  readOn(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.revision <= this.revision) continue
      if (isReadable(event) && event.type === 'NotificationSeen') this.book.see(event.data)
      this.revision = event.revision
    }
    this.revision = Math.max(this.revision, this.#told)
  }

  told(revision: number): void {
    this.#told = revision
  }
}

export class Books {
  readonly #limit: number
  readonly #books = new Map<string, WarmBook>()
  #notifications = 0

  /** @param limit  most notifications kept in all windows together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a window out; it is empty if it is not cached. Put it back when its group is done. */
  take(userId: number, bankCode: string): WarmBook {
    const stream = bookStream(userId, bankCode)
    const warm = this.#books.get(stream)
    if (!warm) return new WarmBook(stream)
    this.#books.delete(stream)
    this.#notifications -= warm.book.size
    return warm
  }

  put(warm: WarmBook): void {
    this.#books.set(warm.stream, warm)
    this.#notifications += warm.book.size
    // The oldest window is at the front. A single window may exceed the limit: the next notification still needs it.
    for (const [stream, oldest] of this.#books) {
      if (this.#notifications <= this.#limit || this.#books.size === 1) return
      this.#books.delete(stream)
      this.#notifications -= oldest.book.size
    }
  }
}
