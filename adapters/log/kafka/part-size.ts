/**
 * How many bytes of messages the relay sends in one request. By default, brokers accept 1 MB per partition and request. Headers and framing
 * add to the bytes counted here. A topic may have a lower limit, which its brokers state. If they still refuse a request, the bytes are
 * halved until they accept one. The limit may be changed later: it is read again at each new connection, and once an hour while it is low. An
 * hour after the last refusal, each accepted batch doubles the bytes again.
 */
import { HOUR_MS } from '../../../domain/time.ts'

const MOST_BYTES = 400_000
/** Bytes that a message takes beside its value. */
export const FRAMING = 800
/** The limit of brokers by default. */
const USUAL_LIMIT = 1_048_588
const AGAIN_AFTER_MS = HOUR_MS

export class PartSize {
  readonly #now: () => number
  #bytes = MOST_BYTES
  #refusedAt = -Infinity
  #allowed = MOST_BYTES
  #statedAt = -Infinity

  /** @param now  a monotonic clock: milliseconds */
  constructor(now = (): number => performance.now()) {
    this.#now = now
  }

  get bytes(): number {
    return Math.min(this.#bytes, this.#allowed)
  }

  /** Whether the limit is low and was read so long ago that it may have been raised. */
  get isOutdated(): boolean {
    return this.#allowed < MOST_BYTES && this.#now() - this.#statedAt > AGAIN_AFTER_MS
  }

  /** @param limit  of one request to the topic: bytes; null if its brokers do not say */
  stated(limit: number | null): void {
    this.#allowed = Math.max(FRAMING, Math.min(MOST_BYTES, ((limit ?? USUAL_LIMIT) / USUAL_LIMIT) * MOST_BYTES))
    this.#statedAt = this.#now()
  }

  refused(): void {
    this.#bytes = Math.max(FRAMING, this.bytes / 2)
    this.#refusedAt = this.#now()
  }

  accepted(): void {
    if (this.#now() - this.#refusedAt > AGAIN_AFTER_MS) this.#bytes *= 2
  }
}
