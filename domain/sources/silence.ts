/**
 * Detects sources that go silent: a phone that fails unnoticed looks like a day without sales. For each source the longest usual
 * pause is learnt from recent days, including nights and days off. A source is silent after twice that time.
 */

/** The observed activity of one source: a device, a mailbox, the personal URL. */
export interface Rhythm {
  first_seen_at: string
  last_seen_at: string
  /** Number of notifications received. Those within seconds of each other count as one. */
  times: number
  /** The longest recent pause in seconds. Older pauses fade. */
  usual_pause_s: number
  /** Seconds since it was last seen in which Baoco did not run: nothing could be seen then. */
  asleep_s: number
}

/** Alerts are raised only once this much is known: the first night must not look like a failure. */
const KNOWN_FROM = { times: 10, days: 3 }
const TIMES_AS_LONG = 2
/** Shorter silences raise no alert. In hours. */
const SHORTEST_H = 3
/** Half of a pause's length has faded after this many days. */
const FADES_IN_DAYS = 14

const DAY_S = 86_400

const isKnown = ({ first_seen_at, last_seen_at, times }: Rhythm): boolean =>
  times >= KNOWN_FROM.times && Date.parse(last_seen_at) - Date.parse(first_seen_at) >= KNOWN_FROM.days * DAY_S * 1_000

/** The longest usual pause in whole seconds. Null if too little is known of the source. */
export const usualPause = (rhythm: Rhythm): number | null => (isKnown(rhythm) ? Math.round(rhythm.usual_pause_s) : null)

/** Seconds after which the source counts as silent. Null if too little is known of it. */
export const silentAfter = (rhythm: Rhythm): number | null =>
  isKnown(rhythm) ? Math.max(TIMES_AS_LONG * rhythm.usual_pause_s, SHORTEST_H * 3_600) : null

/** Start of the silence: the time at which the source was last seen. Null if it is not silent. */
export const silentSince = (rhythm: Rhythm, now: Date): string | null => {
  const after = silentAfter(rhythm)
  const silence_s = (now.getTime() - Date.parse(rhythm.last_seen_at)) / 1_000 - rhythm.asleep_s
  return after !== null && silence_s > after ? rhythm.last_seen_at : null
}

const earlier = (one: string, other: string): string => (Date.parse(one) < Date.parse(other) ? one : other)

/**
 * Records that the source was seen again. A silence is not learnt as usual, but makes the next limit longer. If it was last seen hours
 * after the current time, the clock was ahead and was corrected.
 */
export const seenAgain = (rhythm: Rhythm | null, at: string): Rhythm => {
  if (!rhythm) return { first_seen_at: at, last_seen_at: at, times: 1, usual_pause_s: 0, asleep_s: 0 }
  const pause_s = (Date.parse(at) - Date.parse(rhythm.last_seen_at)) / 1_000
  const times = rhythm.times + 1
  if (pause_s < -SHORTEST_H * 3_600)
    return { ...rhythm, first_seen_at: earlier(rhythm.first_seen_at, at), last_seen_at: at, times, asleep_s: 0 }
  // Two processes may report in any order.
  if (pause_s <= 0) return { ...rhythm, times }
  const faded = rhythm.usual_pause_s * 0.5 ** (pause_s / (FADES_IN_DAYS * DAY_S))
  const learnt = Math.min(pause_s - rhythm.asleep_s, silentAfter(rhythm) ?? Infinity)
  return { ...rhythm, last_seen_at: at, times, usual_pause_s: Math.max(faded, learnt), asleep_s: 0 }
}
