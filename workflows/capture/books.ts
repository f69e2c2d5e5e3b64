/**
 * Books kept warm, bounded by the notifications they hold together. A book changes in place, so it is used by one group at a
 * time; who needs it holds it himself, and what is pushed out meanwhile comes back when it is put back.
 */
import { Book } from '../../domain/dedup/window.ts'
import { bookStream } from '../../domain/dedup/events.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Slice } from '../../domain/ports.ts'

export class WarmBook {
  readonly stream: string
  readonly book = new Book()
  /** Revision that an append expects. */
  revision = NO_STREAM
  /** Revision that a conflict told: where nothing newer can be read, its events have expired and the numbering goes on. */
  #told = NO_STREAM

  constructor(stream: string) {
    this.stream = stream
  }

  slice(): Slice {
    return { stream: this.stream, from: this.revision + 1 }
  }

  /** What was read after `slice`, to the end. */
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

  /** @param limit  most notifications kept, all books together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a book out, cold where it is not here. Put it back when its group is done. */
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
    // The oldest is at the front. One book alone may be over the limit: it is still needed for the next notification.
    for (const [stream, oldest] of this.#books) {
      if (this.#notifications <= this.#limit || this.#books.size === 1) return
      this.#books.delete(stream)
      this.#notifications -= oldest.book.size
    }
  }
}
