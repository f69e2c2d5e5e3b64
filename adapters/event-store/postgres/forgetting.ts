// Tests: tests/contract/event-store/postgres.test.ts
/** How long events are kept, and the removal of those that have expired or were erased. */
import type { EventStore } from '../../../domain/ports.ts'
import { openDatabase, type Queryable } from '../../database/database.ts'
import { checkName } from '../encoding.ts'
import type { History } from '../history.ts'
import type { Answered } from '../until-answered.ts'

/** Long, because expiry reads all streams of a kind, and a stream to erase may be long. */
const MAINTENANCE_MS = 600_000
const EXPIRE_AT_ONCE = 1_000
const EXPIRE_LISTED = 50_000

export interface ForgettingParts {
  url: string
  database: Queryable
  history: History
  answered: Answered
}

type Forgetting = Pick<EventStore, 'retain' | 'expire' | 'erase' | 'close'>

export const openForgetting = ({ url, database, history, answered }: ForgettingParts): Forgetting => {
  // Connects only when there is work to do, because a connection takes 4 MB.
  const maintenance = openDatabase(url, {
    poolSize: 1,
    kept: 0,
    applicationName: 'baoco event store, maintenance',
    queryTimeoutMs: MAINTENANCE_MS,
  })

  /** @returns the number of removed events */
  const expire = async (positions: readonly number[]): Promise<number> => {
    let removed = 0
    for (let start = 0; start < positions.length; start += EXPIRE_AT_ONCE) {
      const some = positions.slice(start, start + EXPIRE_AT_ONCE)
      const [row] = await answered(() => maintenance.query<{ expire: number }>('SELECT store.expire($1)', [some]))
      removed += row!.expire
    }
    return removed
  }

  return {
    retain: async (prefix, maxAgeSeconds) => {
      history.retains(prefix, maxAgeSeconds)
      await answered(() =>
        database.query(
          `INSERT INTO store.retention (prefix, max_age) VALUES ($1, make_interval(secs => $2))
             ON CONFLICT (prefix) DO UPDATE SET max_age = excluded.max_age`,
          [checkName(prefix), maxAgeSeconds],
        ),
      )
    },
    expire: async () => {
      let removed = 0
      for (;;) {
        const listed = await answered(() =>
          maintenance.query<{ expired: number }>('SELECT store.expired($1)', [EXPIRE_LISTED]),
        )
        if (listed.length === 0) return removed
        removed += await expire(listed.map(({ expired }) => expired))
      }
    },
    erase: async (stream) => {
      await answered(() => maintenance.query('SELECT store.erase($1)', [checkName(stream)]))
    },
    close: () => maintenance.close(),
  }
}
