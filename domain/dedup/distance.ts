// Tests: tests/unit/domain/dedup/same-event.test.ts
/**
 * *Apart* is the time between two notifications in milliseconds. It uses printed times if both print one, else stamps if both
 * have one, else arrival times.
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

/** Uses stamps if both have one, else arrival times. */
const clockApart = (window: DedupWindow, probe: Probe, entry: number): number => {
  const byStamp = Math.abs(probe.stamp - window.stampOf(entry))
  return Number.isNaN(byStamp) ? arrivalsApart(window, probe, entry) : byStamp
}

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
