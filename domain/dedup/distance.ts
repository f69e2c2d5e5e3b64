// Tests: tests/unit/domain/dedup/same-event.test.ts
/**
 * *Apart* is the time between two notifications in milliseconds. It uses printed times if both print one, else stamps if both
 * have one that can be right, else arrival times.
 */
import type { DedupWindow } from './window.ts'
import type { Probe } from './probe.ts'

/** How close two notifications are: by *apart*, and if that is equal by their stamps or arrival times. */
export interface Distance {
  apart: number
  clock: number
  /** By their arrival times, which come from one clock. A phone's own clock may be wrong by hours, and so are its stamps. */
  arrivals: number
}

export const isCloser = (a: Distance, b: Distance | null): boolean =>
  !b || a.apart < b.apart || (a.apart === b.apart && a.clock < b.clock)

const arrivalsApart = (window: DedupWindow, probe: Probe, entry: number): number =>
  Math.abs(probe.arrived - window.arrivedOf(entry))

/** A stamp that is later than its arrival by more than this comes from a wrong clock. */
const AHEAD = 10 * 60_000

/** Notifications of a source that show how far its clock is behind. */
const NEWEST = 32
/** Times of so many notifications, this far apart, must agree to within a minute. */
const AGREEING = 3
const TIMES_APART = 10 * 60_000
const AGREED = 60_000

/** When the newest notifications of a source were sent, by its clock, and how long after that each arrived. */
interface Sent {
  stamps: number[]
  delays: number[]
  shortest: number
}

/** Kept while one notification is compared with many. It is the same as long as the window has no new entry. */
const sentBySource = new WeakMap<Probe, { size: number; sent: Map<number, Sent> }>()

const sentBy = (window: DedupWindow, probe: Probe, source: number): Sent => {
  let known = sentBySource.get(probe)
  if (known?.size !== window.size) sentBySource.set(probe, (known = { size: window.size, sent: new Map() }))
  const earlier = known.sent.get(source)
  if (earlier) return earlier
  const sent: Sent = { stamps: [], delays: [], shortest: Infinity }
  window.walkSource(source, probe, (entry) => {
    const delay = window.arrivedOf(entry) - window.stampOf(entry)
    if (!Number.isNaN(delay)) {
      sent.stamps.push(window.stampOf(entry))
      sent.delays.push(delay)
      sent.shortest = Math.min(sent.shortest, delay)
    }
    return sent.stamps.length >= NEWEST
  })
  known.sent.set(source, sent)
  return sent
}

/**
 * How far the clock of a notification's source is behind. No notification of a phone whose clock is an hour behind arrives less than an hour after its
 * stamp. A phone that was offline has sent others sooner, or sends several at once, and so with different delays.
 * @returns milliseconds, less than 0 for a clock that is ahead. 0 if that is not certain, or if this notification came within ten minutes
 */
const clockBehind = (window: DedupWindow, probe: Probe, source: number, stamp: number, arrived: number): number => {
  if (arrived - stamp <= AHEAD) return 0
  const { stamps, delays, shortest } = sentBy(window, probe, source)
  const behind = Math.min(arrived - stamp, shortest)
  const times = arrived - stamp <= behind + AGREED ? [stamp] : []
  for (const [n, delay] of delays.entries()) {
    const isFar = delay <= behind + AGREED && times.every((time) => Math.abs(time - stamps[n]!) >= TIMES_APART)
    if (isFar && times.push(stamps[n]!) === AGREEING) return behind
  }
  return 0
}

const ourClockBehind = (window: DedupWindow, probe: Probe): number =>
  clockBehind(window, probe, probe.source, probe.stamp, probe.arrived)

const theirClockBehind = (window: DedupWindow, probe: Probe, entry: number): number =>
  clockBehind(window, probe, window.sourceOf(entry), window.stampOf(entry), window.arrivedOf(entry))

const stampsApart = (window: DedupWindow, probe: Probe, entry: number): number =>
  Math.abs(probe.stamp - window.stampOf(entry))

/** As if the clocks of two sources that are behind were right. */
const correctedApart = (window: DedupWindow, probe: Probe, entry: number): number =>
  Math.abs(
    probe.stamp + ourClockBehind(window, probe) - (window.stampOf(entry) + theirClockBehind(window, probe, entry)),
  )

/**
 * Whether the stamps of two notifications are compared. Otherwise their arrival times are. If only one of two sources has a clock that is ahead,
 * its stamp says nothing about the other's, unless the stamps are nearer than the arrivals: a phone that was offline sends a stamp of such a clock
 * late, and then it does not lie ahead. Stamps of one source, or of two that are ahead, may come from one phone, so they still show what happened
 * first.
 */
const comparesStamps = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const byStamp = stampsApart(window, probe, entry)
  if (Number.isNaN(byStamp)) return false
  if (window.sourceOf(entry) === probe.source) return true
  const isOneAhead = probe.stamp - probe.arrived > AHEAD !== window.stampOf(entry) - window.arrivedOf(entry) > AHEAD
  return !isOneAhead || byStamp < arrivalsApart(window, probe, entry)
}

/** The stamps of two notifications that are compared. Null if their arrival times are compared instead. */
export const stampsOf = (window: DedupWindow, probe: Probe, entry: number): readonly [number, number] | null => {
  if (!comparesStamps(window, probe, entry)) return null
  const stamps = [probe.stamp, window.stampOf(entry)] as const
  // Two channels of one phone have nearer stamps as they are.
  const isCorrected =
    window.sourceOf(entry) !== probe.source && correctedApart(window, probe, entry) < stampsApart(window, probe, entry)
  return isCorrected
    ? [stamps[0] + ourClockBehind(window, probe), stamps[1] + theirClockBehind(window, probe, entry)]
    : stamps
}

const clockApart = (window: DedupWindow, probe: Probe, entry: number): number => {
  if (!comparesStamps(window, probe, entry)) return arrivalsApart(window, probe, entry)
  const byStamp = stampsApart(window, probe, entry)
  return window.sourceOf(entry) === probe.source ? byStamp : Math.min(byStamp, correctedApart(window, probe, entry))
}

const floorTo = (precision: number, time: number): number => Math.floor(time / precision) * precision

/** Compares printed times at the coarser precision of the two. NaN if one of them prints none. */
export const printedApart = (window: DedupWindow, probe: Probe, entry: number): number => {
  const precision = Math.max(probe.precision, window.precisionOf(entry))
  return Math.abs(floorTo(precision, probe.printed) - floorTo(precision, window.printedOf(entry)))
}

export const distanceTo = (window: DedupWindow, probe: Probe, entry: number): Distance => {
  const clock = clockApart(window, probe, entry)
  const printed = printedApart(window, probe, entry)
  return { apart: Number.isNaN(printed) ? clock : printed, clock, arrivals: arrivalsApart(window, probe, entry) }
}

/** Distance to an event: uses any printed time of its copies, else its nearest notification. */
export const distanceToEvent = (window: DedupWindow, probe: Probe, entries: readonly number[]): Distance => {
  let [printed, clock, arrivals] = [NaN, Infinity, Infinity]
  for (const entry of entries) {
    clock = Math.min(clock, clockApart(window, probe, entry))
    arrivals = Math.min(arrivals, arrivalsApart(window, probe, entry))
    if (Number.isNaN(printed)) printed = printedApart(window, probe, entry)
  }
  return { apart: Number.isNaN(printed) ? clock : printed, clock, arrivals }
}
