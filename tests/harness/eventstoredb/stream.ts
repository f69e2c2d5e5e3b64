/** A stream of the stand-in. */
import type { StoredEvent } from './event.ts'

export interface Stream {
  name: string
  events: StoredEvent[]
  last: number
  tombstoned: boolean
  /** After an append to a soft-deleted stream, reads may fail until then (milliseconds since 1970). */
  undeletedAt: number
}

/** How long reads may fail after an append to a soft-deleted stream. */
export const UNDELETE_MS = 13

export const emptyStream = (name: string): Stream => ({ name, events: [], last: -1, tombstoned: false, undeletedAt: 0 })

/** @param isFound  false for the first events, and true from one on · @returns the index of that one */
export const indexOfFirst = (events: readonly StoredEvent[], isFound: (event: StoredEvent) => boolean): number => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isFound(events[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
