/**
 * Whether what is searched has all that the lists have. It is kept by a projector of its own, which may be behind: for
 * moments always, for long after an upgrade that builds it anew.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint } from '../../domain/ports.ts'
import type { Queryable } from '../engine/queryable.ts'

/** How long a search waits for what is being written at this moment: milliseconds. */
const WAIT_MS = 300
const LOOK_EVERY_MS = 15

/** No event is stored this long after it was decided (milliseconds), nor are the clocks of two machines this far apart. */
const MARGIN_MS = 600_000

const PLACES = `SELECT m.passed AS main, s.passed AS search, s.updated_at
  FROM read_model.checkpoint m LEFT JOIN search_model.checkpoint s ON s.projector = 'search' WHERE m.projector = 'main'`

interface Places {
  main: Checkpoint | null
  search: Checkpoint | null
  /** When the last event that is searched was decided. */
  updated_at: string | null
}

/** What was captured since then may not be searched yet; null: all of it may not. */
export interface Behind {
  since: string | null
}

export interface SearchProgress {
  /** What the lists had when this was asked and the search has not; null where it has everything. */
  behind(): Promise<Behind | null>
}

export const openSearchProgress = (
  database: Queryable,
  isAfter: (a: Checkpoint, b: Checkpoint) => boolean,
): SearchProgress => {
  const look = async (): Promise<Places> =>
    (await database.query<Places>(PLACES, [], 'search_progress'))[0] ?? { main: null, search: null, updated_at: null }

  return {
    behind: async () => {
      const asked = performance.now()
      let places = await look()
      const wanted = places.main
      const isThere = ({ search }: Places) => wanted === null || (search !== null && !isAfter(wanted, search))
      while (!isThere(places)) {
        if (performance.now() - asked > WAIT_MS) {
          const last = places.updated_at
          return { since: last === null ? null : new Date(Date.parse(last) - MARGIN_MS).toISOString() }
        }
        await pause(LOOK_EVERY_MS)
        places = await look()
      }
      return null
    },
  }
}
