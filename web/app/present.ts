// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * The present day in Vietnam, and the present time. Pages stay open over night, while nothing happens. What shows a day is drawn again when
 * the day changes, and what shows how long ago something was, when that changes. The clock is looked at again and again, because timers
 * stand still while a computer sleeps.
 */
import { signal } from '@preact/signals'
import { vietnamDay } from './format.ts'

const LOOK_MS = 15_000

/** A moment of the present day. It changes only with the day. */
export const presentDay = signal(new Date())

/** Milliseconds. It may be some seconds old. */
export const presentTime = signal(Date.now())

setInterval(() => {
  presentTime.value = Date.now()
  if (vietnamDay() !== vietnamDay(0, presentDay.value)) presentDay.value = new Date()
}, LOOK_MS)
