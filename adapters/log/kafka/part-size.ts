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

/** @param now  a monotonic clock: milliseconds */
export const openPartSize = (now = (): number => performance.now()) => {
  let unrefused = MOST_BYTES
  let refusedAt = -Infinity
  let allowed = MOST_BYTES
  let statedAt = -Infinity

  const bytes = (): number => Math.min(unrefused, allowed)

  /** Whether the limit is low and was read so long ago that it may have been raised. */
  const isOutdated = (): boolean => allowed < MOST_BYTES && now() - statedAt > AGAIN_AFTER_MS

  /** @param limit  of one request to the topic: bytes; null if its brokers do not say */
  const stated = (limit: number | null): void => {
    allowed = Math.max(FRAMING, Math.min(MOST_BYTES, ((limit ?? USUAL_LIMIT) / USUAL_LIMIT) * MOST_BYTES))
    statedAt = now()
  }

  const refused = (): void => {
    unrefused = Math.max(FRAMING, bytes() / 2)
    refusedAt = now()
  }

  const accepted = (): void => {
    if (now() - refusedAt > AGAIN_AFTER_MS) unrefused *= 2
  }

  return { bytes, isOutdated, stated, refused, accepted }
}

export type PartSize = ReturnType<typeof openPartSize>
