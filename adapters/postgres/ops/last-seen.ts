// Tests: tests/integration/scheduled/watch-sources.test.ts
/**
 * Records when sources were last seen, in `ops.heard`. Many notifications are written with one statement every few seconds,
 * so that receiving is not delayed. A record that a crash loses is replaced by the next notification.
 */
import { seenAgain, type Rhythm } from '../../../domain/sources/silence.ts'
import { RHYTHM } from '../../../projections/account/last-seen-queries.ts'
import { Gather } from '../../../workflows/support/gather.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { columnsOf } from '../../database/columns.ts'

/** Milliseconds for which notifications are collected. */
const APART_MS = 2_000

export interface LastSeenNotes {
  note(userId: number, path: string, at: Date): void
  close(): Promise<void>
}

interface Noted {
  user_id: number
  path: string
  at: string
}

type Row = Rhythm & { user_id: number; path: string }

const COLUMNS = 'user_id, door, first_heard_at, last_heard_at, heard, usual_pause_s'

/** A fixed order, so that processes that write the same sources cannot deadlock. */
const byKey = (a: Noted, b: Noted): number => a.user_id - b.user_id || (a.path < b.path ? -1 : 1)

const write = (database: Database, noted: readonly Noted[]): Promise<unknown> =>
  database.transaction(async (transaction) => {
    const keys = columnsOf(noted, 'user_id', 'path')
    const known = await transaction.query<Row>(
      `SELECT user_id, ${RHYTHM} FROM ops.heard
       WHERE (user_id, door) IN (SELECT * FROM unnest($1::bigint[], $2::text[])) ORDER BY user_id, door FOR UPDATE`,
      keys,
    )
    const before = new Map(known.map((row) => [`${row.user_id} ${row.path}`, row]))
    const rhythms = noted.map(({ user_id, path, at }) => seenAgain(before.get(`${user_id} ${path}`) ?? null, at))
    await transaction.query(
      `INSERT INTO ops.heard (${COLUMNS})
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::float8[])
       ON CONFLICT (user_id, door) DO UPDATE SET first_heard_at = excluded.first_heard_at,
         last_heard_at = excluded.last_heard_at, heard = excluded.heard, usual_pause_s = excluded.usual_pause_s`,
      [...keys, ...columnsOf(rhythms, 'first_seen_at', 'last_seen_at', 'times', 'usual_pause_s')],
    )
  })

export const openLastSeenNotes = (database: Database, onFailure: (error: unknown) => void): LastSeenNotes => {
  let noted = new Map<string, Noted>()
  const gather = new Gather<Noted[]>({
    apartMs: APART_MS,
    waitsFirst: true,
    keepsRunning: false,
    take: () => {
      if (noted.size === 0) return null
      const all = [...noted.values()].sort(byKey)
      noted = new Map()
      return all
    },
    handle: (all) => write(database, all).catch(onFailure),
  })

  return {
    note: (user_id, path, at) => {
      noted.set(`${user_id} ${path}`, { user_id, path, at: at.toISOString() })
      gather.added()
    },
    close: () => gather.flush(),
  }
}

/** Forgets a source that was removed. */
export const forgetSource = async (
  database: Queryable,
  { user_id, path }: { user_id: number; path: string },
): Promise<void> => {
  await database.query('DELETE FROM ops.heard WHERE user_id = $1 AND door = $2', [user_id, path])
}
