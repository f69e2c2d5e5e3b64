// Tests: tests/attack/secret-rotation.test.ts
/**
 * Checks that a webhook is genuine, as every shop must do before it reads the content (interface, section 5). The check uses
 * the raw bytes, before they are parsed, and is constant-time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The most seconds between a call's `timestamp` and now. Prevents replays of old calls. */
const REPLAY_WINDOW_S = 300

/**
 * @param header  `X-Webhook-Signature`, or undefined if it is missing
 * @param secret  the rule's secret_key, unchanged
 */
export const isGenuine = (rawBody: Buffer, header: string | undefined, secret: string): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`)
  const given = Buffer.from(header ?? '')
  // timingSafeEqual requires equal lengths. Different lengths are never equal.
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** @param timestamp  the body's Unix seconds; new for every attempt, and signed with the rest */
export const isRecent = (timestamp: unknown, now: Date): boolean =>
  typeof timestamp === 'number' && Math.abs(now.getTime() / 1000 - timestamp) <= REPLAY_WINDOW_S
