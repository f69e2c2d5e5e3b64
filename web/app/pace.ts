// Tests: tests/unit/web/app/pace.test.ts
/**
 * How soon live messages may make the page ask again. The server counts the calls of an account in each hour, those of all its devices together.
 * After the last one it refuses every call until the hour ends. So the page uses half of the calls as fast as messages arrive, and spreads the
 * rest over the time that is left. Of what remains it always leaves some for what somebody clicks.
 */

const SHORTEST_MS = 2_000
/** Of the calls of an hour: while this part remains, nothing is saved. */
const FAST = 0.5
/** Of the calls that remain. */
const FOR_MESSAGES = 0.8

export interface Pace {
  /** @param headers  of each answer */
  noticeBudget(headers: Headers): void
  /** The page asks again now. */
  asks(): void
  /** @returns milliseconds until the page may ask again; 0 or less: now */
  wait(): number
}

/** @param now  milliseconds of a clock that is never set back */
export const openPace = (now: () => number): Pace => {
  let [limit, remaining, seconds] = [0, 0, 0]
  let asked = { at: -Infinity, remaining: 0 }
  const pause = (): number => {
    if (remaining >= limit * FAST) return SHORTEST_MS
    // In a new hour there are more than before.
    const spent = Math.max(1, asked.remaining - remaining)
    const untilNextHour = seconds * 1_000
    return Math.max(SHORTEST_MS, untilNextHour * Math.min(1, spent / (remaining * FOR_MESSAGES)))
  }
  return {
    noticeBudget: (headers) => {
      const given = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`))
      if (given.includes(null)) return
      ;[limit, remaining, seconds] = given.map(Number) as [number, number, number]
    },
    asks: () => void (asked = { at: now(), remaining }),
    wait: () => asked.at + pause() - now(),
  }
}
