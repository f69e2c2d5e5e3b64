/**
 * How many bytes of messages the relay sends in one request. By default, brokers accept 1 MB per partition and request. Headers and framing
 * add to the bytes counted here. The limit of an existing topic may be lower: then the bytes are halved until its brokers accept a request.
 * The limit may be raised later: an hour after the last refusal, each accepted batch doubles the bytes again.
 */

const MOST_BYTES = 400_000
/** Bytes that a message takes beside its value. */
export const FRAMING = 800
const GROWS_AFTER_MS = 3_600_000

export class PartSize {
  readonly #now: () => number
  #bytes = MOST_BYTES
  #refusedAt = -Infinity

  /** @param now  a monotonic clock: milliseconds */
  constructor(now = (): number => performance.now()) {
    this.#now = now
  }

  get bytes(): number {
    return this.#bytes
  }

  refused(): void {
    this.#bytes = Math.max(FRAMING, this.#bytes / 2)
    this.#refusedAt = this.#now()
  }

  accepted(): void {
    if (this.#now() - this.#refusedAt > GROWS_AFTER_MS) this.#bytes = Math.min(MOST_BYTES, this.#bytes * 2)
  }
}
