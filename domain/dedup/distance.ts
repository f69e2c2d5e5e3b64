/**
 * *Apart* is the time between two notifications in milliseconds. It uses printed times if both print one, else stamps if both
 * have one, else arrival times.
 */
import type { Book } from './window.ts'
import type { Probe } from './entries.ts'

/** How close two notifications are: by *apart*, and if that is equal by their stamps or arrival times. */
export interface Distance {
  apart: number
  clock: number
}

export const isCloser = (a: Distance, b: Distance | null): boolean =>
  !b || a.apart < b.apart || (a.apart === b.apart && a.clock < b.clock)

/** Uses stamps if both have one, else arrival times. */
const clockApart = (book: Book, probe: Probe, entry: number): number => {
  const byStamp = Math.abs(probe.stamp - book.stampOf(entry))
  return Number.isNaN(byStamp) ? Math.abs(probe.arrived - book.arrivedOf(entry)) : byStamp
}

/** Compares printed times at the coarser precision of the two. NaN if one of them prints none. */
export const printedApart = (book: Book, probe: Probe, entry: number): number => {
  const precision = Math.max(probe.precision, book.precisionOf(entry))
  const floor = (time: number): number => Math.floor(time / precision) * precision
  return Math.abs(floor(probe.printed) - floor(book.printedOf(entry)))
}

export const distanceTo = (book: Book, probe: Probe, entry: number): Distance => {
  const clock = clockApart(book, probe, entry)
  const printed = printedApart(book, probe, entry)
  return { apart: Number.isNaN(printed) ? clock : printed, clock }
}

/** Distance to an event: uses any printed time of its copies, else its nearest notification. */
export const distanceToEvent = (book: Book, probe: Probe, entries: readonly number[]): Distance => {
  const clock = Math.min(...entries.map((entry) => clockApart(book, probe, entry)))
  const printed = entries.map((entry) => printedApart(book, probe, entry)).find((apart) => !Number.isNaN(apart))
  return { apart: printed ?? clock, clock }
}
