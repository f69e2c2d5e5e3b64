/**
 * How wrong a clock may be, and whether work that deletes old data may trust one. If a clock is more than a day later than when it
 * was last seen, it has jumped, or nothing ran for that long. It is doubted until it has been seen for a day in all, because an
 * installation may never run for a whole day. If somebody sets it back in that time, nothing was lost.
 */
import { DAY_MS, HOUR_MS } from './time.ts'

export interface SeenClock {
  /** When it was last seen, by itself: ISO 8601 UTC. */
  seen_at: string
  /** Null if it is believed. */
  doubted_until: string | null
}

/** After each jump, a clock is doubted for at least this long. */
const LEAST_DOUBT_MS = 2 * HOUR_MS

/** How long a clock that has jumped is doubted: for a day, less the time for which it was seen since an earlier jump. */
const doubtAfterJump = ({ seen_at, doubted_until }: SeenClock): number =>
  doubted_until === null ? DAY_MS : Math.max(Date.parse(doubted_until) - Date.parse(seen_at), LEAST_DOUBT_MS)

/** @param before  null if it was never seen */
export const seeClock = (before: SeenClock | null, now: Date): SeenClock => {
  const believed: SeenClock = { seen_at: now.toISOString(), doubted_until: null }
  if (before === null) return believed
  const passed = now.getTime() - Date.parse(before.seen_at)
  if (passed > DAY_MS)
    return { ...believed, doubted_until: new Date(now.getTime() + doubtAfterJump(before)).toISOString() }
  const isOver = before.doubted_until === null || now.getTime() >= Date.parse(before.doubted_until)
  const wasSetBack = passed < -DAY_MS
  return isOver || wasSetBack ? believed : { ...believed, doubted_until: before.doubted_until }
}

/** The error of a clock that must be expected. One that was set as if UTC were Vietnamese time is wrong by seven hours. */
export const CLOCK_ERROR_MS = 12 * HOUR_MS

/** The clock of a process differs from the database's: seconds on one page and the other would contradict each other. */
export const CLOCK_DIFFERS_MS = 2_000
/** It differs so much that the operator gets an alert. Receivers of webhooks refuse a time that is five minutes old. */
export const CLOCK_ALERT_MS = 60_000

/**
 * By how many milliseconds a clock is ahead of another one, at least; negative if it is behind. The time until the answer does not count.
 * @param theirs  the time of the other clock, which was read between the other two
 */
export const aheadBy = (theirs: Date, asked: Date, answered: Date): number => {
  if (theirs < asked) return asked.getTime() - theirs.getTime()
  return theirs > answered ? answered.getTime() - theirs.getTime() : 0
}
