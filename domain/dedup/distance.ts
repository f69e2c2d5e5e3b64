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

/**
 * Whether the stamps of two notifications are compared, and not their arrival times. If only one of two sources has a clock that is ahead, its stamp
 * says nothing about the other's, unless the stamps are nearer than the arrivals: a phone that was offline sends a stamp of such a clock late, and
 * then it does not lie ahead. Stamps of one source, or of two that are ahead, may come from one phone, so they still show what happened first.
 */
export const comparesStamps = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const [ours, theirs] = [probe.stamp, window.stampOf(entry)]
  const byStamp = Math.abs(ours - theirs)
  if (Number.isNaN(byStamp)) return false
  const isOneAhead = ours - probe.arrived > AHEAD !== theirs - window.arrivedOf(entry) > AHEAD
  return !isOneAhead || window.sourceOf(entry) === probe.source || byStamp < arrivalsApart(window, probe, entry)
}

const clockApart = (window: DedupWindow, probe: Probe, entry: number): number =>
  comparesStamps(window, probe, entry)
    ? Math.abs(probe.stamp - window.stampOf(entry))
    : arrivalsApart(window, probe, entry)

/** Compares printed times at the coarser precision of the two. NaN if one of them prints none. */
export const printedApart = (window: DedupWindow, probe: Probe, entry: number): number => {
  const precision = Math.max(probe.precision, window.precisionOf(entry))
  const floor = (time: number): number => Math.floor(time / precision) * precision
  return Math.abs(floor(probe.printed) - floor(window.printedOf(entry)))
}

export const distanceTo = (window: DedupWindow, probe: Probe, entry: number): Distance => {
  const clock = clockApart(window, probe, entry)
  const printed = printedApart(window, probe, entry)
  return { apart: Number.isNaN(printed) ? clock : printed, clock, arrivals: arrivalsApart(window, probe, entry) }
}

/** Distance to an event: uses any printed time of its copies, else its nearest notification. */
export const distanceToEvent = (window: DedupWindow, probe: Probe, entries: readonly number[]): Distance => {
  const clock = Math.min(...entries.map((entry) => clockApart(window, probe, entry)))
  const printed = entries.map((entry) => printedApart(window, probe, entry)).find((apart) => !Number.isNaN(apart))
  const arrivals = Math.min(...entries.map((entry) => arrivalsApart(window, probe, entry)))
  return { apart: printed ?? clock, clock, arrivals }
}
