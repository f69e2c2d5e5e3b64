/**
 * Old texts are not sent (decisions, T5). A phone that restores an old inbox, a mailbox that was paused for days, or a person who
 * sends a text again reports payments that the shop settled long ago.
 */
import { DAY_MS } from '../time.ts'
import type { Arrival } from './arrival.ts'
import type { PrintedTime, Reading } from '../reader/reading.ts'

/** A printed time counts as the end of its unit: a date as the end of that day in Vietnam, which has no summer time. */
const LENGTH_MS: Readonly<Record<PrintedTime['precision'], number>> = { second: 0, minute: 60_000, day: DAY_MS }

/**
 * Whether the printed time or the stamp (the phone's or mail's own time) is too far before the arrival. Either is enough: a
 * restored text may have a fresh stamp, and a text may print no time. A time in the future is not old.
 * @param maxAgeMs  `REPARSE_MAX_AGE` in milliseconds
 */
export const isOld = (
  { stamp, arrived_at }: Pick<Arrival, 'stamp' | 'arrived_at'>,
  { printed_time: printed }: Pick<Reading, 'printed_time'>,
  maxAgeMs: number,
): boolean => {
  const oldest = arrived_at.getTime() - maxAgeMs
  if (stamp && stamp.getTime() < oldest) return true
  return printed !== null && Date.parse(printed.at) + LENGTH_MS[printed.precision] < oldest
}
