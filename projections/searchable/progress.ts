// Tests: tests/integration/http/search.test.ts
/**
 * Whether the search has everything that the lists have. Its own projector maintains it, and that may be behind: always
 * for moments, and for a long time after an upgrade that rebuilds it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint } from '../../domain/ports.ts'
import type { Queryable } from '../engine/queryable.ts'

/** How long a search waits for events that are just being written: milliseconds. */
const WAIT_MS = 300
const LOOK_EVERY_MS = 15

/**
 * An event is never stored later than this after it was decided (milliseconds), and two machines' clocks never differ
 * by more.
 */
const MARGIN_MS = 600_000

const POSITIONS = `SELECT m.passed AS main, s.passed AS search, s.updated_at
  FROM read_model.checkpoint m LEFT JOIN search_model.checkpoint s ON s.projector = 'search' WHERE m.projector = 'main'`

interface Positions {
  main: Checkpoint | null
  search: Checkpoint | null
  /** When the last event in the search was decided. */
  updated_at: string | null
}

/** Transactions captured since then may be missing from the search. null: any of them may be missing. */
export interface Behind {
  since: string | null
}

export interface SearchProgress {
  /** The transactions that the lists had at the time of the call and the search lacks; null if it lacks none. */
  behind(): Promise<Behind | null>
}

export const openSearchProgress = (
  database: Queryable,
  isAfter: (a: Checkpoint, b: Checkpoint) => boolean,
): SearchProgress => {
  const look = async (): Promise<Positions> =>
    (await database.query<Positions>(POSITIONS, [], 'search_progress'))[0] ?? {
      main: null,
      search: null,
      updated_at: null,
    }

  return {
    behind: async () => {
      const asked = performance.now()
      let positions = await look()
      const wanted = positions.main
      const isThere = ({ search }: Positions) => wanted === null || (search !== null && !isAfter(wanted, search))
      while (!isThere(positions)) {
        if (performance.now() - asked > WAIT_MS) {
          const last = positions.updated_at
          return { since: last === null ? null : new Date(Date.parse(last) - MARGIN_MS).toISOString() }
        }
        await pause(LOOK_EVERY_MS)
        positions = await look()
      }
      return null
    },
  }
}
