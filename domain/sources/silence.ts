/**
 * Sources that go silent: a phone that dies quietly looks like a day without sales. What is usual of a source is learnt: the
 * longest it says nothing, nights and days off included, as it was lately. Twice as long is silence.
 */

/** What is known of one source: a device, a mailbox, the personal URL. */
export interface Rhythm {
  first_heard_at: string
  last_heard_at: string
  /** How often it was heard; what comes within seconds is once. */
  heard: number
  /** The longest pause of late, seconds; older ones fade. */
  usual_pause_s: number
}

/** Before so much is known nothing is said: a first night must not look like a death. */
const KNOWN_FROM = { heard: 10, days: 3 }
const TIMES_AS_LONG = 2
/** Shorter silences raise no alert. Hours. */
const SHORTEST_H = 3
/** A pause is half forgotten after so many days. */
const FADES_IN_DAYS = 14

const DAY_S = 86_400

const isKnown = ({ first_heard_at, last_heard_at, heard }: Rhythm): boolean =>
  heard >= KNOWN_FROM.heard && Date.parse(last_heard_at) - Date.parse(first_heard_at) >= KNOWN_FROM.days * DAY_S * 1_000

/** Seconds after which it counts as silent; null where too little is known of it. */
export const silentAfter = (rhythm: Rhythm): number | null =>
  isKnown(rhythm) ? Math.max(TIMES_AS_LONG * rhythm.usual_pause_s, SHORTEST_H * 3_600) : null

/** Since when it is silent: when it was heard last. null while it is not. */
export const silentSince = (rhythm: Rhythm, now: Date): string | null => {
  const after = silentAfter(rhythm)
  const silence_s = (now.getTime() - Date.parse(rhythm.last_heard_at)) / 1_000
  return after !== null && silence_s > after ? rhythm.last_heard_at : null
}

/** It is heard again. What was silence is not learnt as usual, but lets the next be longer. */
export const heardAgain = (rhythm: Rhythm | null, at: string, times = 1): Rhythm => {
  if (!rhythm) return { first_heard_at: at, last_heard_at: at, heard: times, usual_pause_s: 0 }
  const pause_s = (Date.parse(at) - Date.parse(rhythm.last_heard_at)) / 1_000
  // Two processes tell of it in any order.
  if (pause_s <= 0) return { ...rhythm, heard: rhythm.heard + times }
  const faded = rhythm.usual_pause_s * 0.5 ** (pause_s / (FADES_IN_DAYS * DAY_S))
  const learnt = Math.min(pause_s, silentAfter(rhythm) ?? Infinity)
  return { ...rhythm, last_heard_at: at, heard: rhythm.heard + times, usual_pause_s: Math.max(faded, learnt) }
}
