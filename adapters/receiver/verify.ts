/**
 * Whether a webhook is genuine: what every shop must do before it looks into one (interface, section 5). Over the raw bytes,
 * before they are parsed, and in constant time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Most seconds between a call's `timestamp` and now. Prevents replays of old calls. */
const REPLAY_WINDOW_S = 300

/**
 * @param header  `X-Webhook-Signature`, undefined where there is none
 * @param secret  the rule's secret_key, as it is
 */
export const isGenuine = (rawBody: Buffer, header: string | undefined, secret: string): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`)
  const given = Buffer.from(header ?? '')
  // Of different lengths they cannot be compared, and are not equal.
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** @param timestamp  the body's, Unix seconds: made anew for every attempt, and signed with the rest */
export const isRecent = (timestamp: unknown, now: Date): boolean =>
  typeof timestamp === 'number' && Math.abs(now.getTime() / 1000 - timestamp) <= REPLAY_WINDOW_S
