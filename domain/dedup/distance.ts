/**
 * *Apart*: between printed times where both print one, else between stamps where both have one, else between arrivals. All in
 * milliseconds.
 */
import type { Book } from './window.ts'
import type { Probe } from './entries.ts'

/** How close two notifications are: by *apart*, and where that is equal by their stamps or arrivals. */
export interface Distance {
  apart: number
  clock: number
}

export const isCloser = (a: Distance, b: Distance | null): boolean =>
  !b || a.apart < b.apart || (a.apart === b.apart && a.clock < b.clock)

/** Between stamps where both have one, else between arrivals. */
const clockApart = (book: Book, probe: Probe, entry: number): number => {
  const byStamp = Math.abs(probe.stamp - book.stampOf(entry))
  return Number.isNaN(byStamp) ? Math.abs(probe.arrived - book.arrivedOf(entry)) : byStamp
}

/** Between printed times at the coarser precision; NaN where one prints none. */
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

/** To an event: its copies' prints count together, else its nearest notification counts. */
export const distanceToEvent = (book: Book, probe: Probe, entries: readonly number[]): Distance => {
  const clock = Math.min(...entries.map((entry) => clockApart(book, probe, entry)))
  const printed = entries.map((entry) => printedApart(book, probe, entry)).find((apart) => !Number.isNaN(apart))
  return { apart: printed ?? clock, clock }
}
