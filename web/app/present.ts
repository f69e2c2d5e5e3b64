// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * The current day in Vietnam, and the current time, by the server's clock: that of a phone or of a computer in a shop may be wrong by days.
 * Pages stay open over night, while nothing happens. Parts that show a day are drawn again when the day changes, and parts that show how long ago
 * something was, when that changes. The clock is looked at again and again, because timers stand still while a computer sleeps.
 */
import { signal } from '@preact/signals'
import { vietnamDay } from './format.ts'

const LOOK_MS = 15_000

/** Smaller differences are those of a slow answer. */
const CLOCKS_DIFFER_MS = 60_000

/** Milliseconds by which the clock of this device is ahead of the server's. */
let ahead = 0

/** Milliseconds since 1970, by the server's clock. */
export const now = (): number => Date.now() - ahead

/** A moment of the current day. It changes only with the day. */
export const presentDay = signal(new Date())

/** Milliseconds. It may be some seconds old. */
export const presentTime = signal(now())

const look = (): void => {
  presentTime.value = now()
  const present = new Date(now())
  if (vietnamDay(0, present) !== vietnamDay(0, presentDay.value)) presentDay.value = present
}
setInterval(look, LOOK_MS)

/** @param headers  of an answer that has just come */
export const noticeServerTime = (headers: Headers): void => {
  const difference = Date.now() - Date.parse(headers.get('Date') ?? '')
  if (Number.isNaN(difference)) return
  const before = ahead
  ahead = Math.abs(difference) < CLOCKS_DIFFER_MS ? 0 : difference
  if (Math.abs(ahead - before) >= CLOCKS_DIFFER_MS) look()
}
