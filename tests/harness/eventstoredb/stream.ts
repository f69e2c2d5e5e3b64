/** A stream of the stand-in. */
import type { StoredEvent } from './event.ts'

export interface Stream {
  events: StoredEvent[]
  last: number
  tombstoned: boolean
  /** After an append to a soft-deleted stream, reads may fail until then (milliseconds since 1970). */
  undeletedAt: number
}

/** How long reads may fail after an append to a soft-deleted stream. */
export const UNDELETE_MS = 13

export const emptyStream = (): Stream => ({ events: [], last: -1, tombstoned: false, undeletedAt: 0 })
