// Tests: tests/integration/scheduled/watch-sources.test.ts
/** When each of a user's sources was last seen, and since when it is silent. */
import type { ReceivePath } from '../../domain/arrival/receive-paths.ts'
import { silentSince, usualPause, type Rhythm } from '../../domain/sources/silence.ts'
import type { KnownSource } from '../../workflows/scheduled/watch-sources.ts'
import { GAPS } from '../delivery/gaps.ts'
import type { Queryable } from '../engine/queryable.ts'

export interface LastSeen {
  last_heard_at: string | null
  /** The longest usual pause in seconds; null while too little is known about it. */
  usual_pause_s: number | null
  /** null while it is as active as usual, or while too little is known about it. */
  silent_since: string | null
}

/** The columns of `ops.heard` under the names of `Rhythm`. The gaps are read once, however many rows there are. */
export const RHYTHM = `door AS path, first_heard_at AS first_seen_at, last_heard_at AS last_seen_at, heard AS times, usual_pause_s,
  (WITH gap AS MATERIALIZED (${GAPS})
    SELECT coalesce(extract(epoch FROM sum(ended_at - greatest(began_at, last_heard_at))), 0)::float8
    FROM gap WHERE ended_at > last_heard_at) AS asleep_s`

const NEVER: LastSeen = { last_heard_at: null, usual_pause_s: null, silent_since: null }

/** @returns a function that gives what is known about each of the user's receive paths */
export const lastSeenOf = async (
  database: Queryable,
  userId: number,
  now: Date,
): Promise<(path: ReceivePath) => LastSeen> => {
  const rows = await database.query<Rhythm & { path: ReceivePath }>(
    `SELECT ${RHYTHM} FROM ops.heard WHERE user_id = $1`,
    [userId],
    'last-seen',
  )
  const lastSeen = new Map(
    rows.map(({ path, ...rhythm }): [ReceivePath, LastSeen] => [
      path,
      { last_heard_at: rhythm.last_seen_at, usual_pause_s: usualPause(rhythm), silent_since: silentSince(rhythm, now) },
    ]),
  )
  return (path) => lastSeen.get(path) ?? NEVER
}

/** Sources of all users that were last seen more than 3 hours ago. Any of them may be silent. */
export const quietSources = async (database: Queryable, now: Date): Promise<KnownSource[]> => {
  const rows = await database.query<Rhythm & Omit<KnownSource, 'rhythm'>>(
    `SELECT user_id, ${RHYTHM}, a.revision AS account_revision FROM ops.heard LEFT JOIN read_model.account a USING (user_id)
     WHERE last_heard_at < $1::timestamptz - interval '3 hours'`,
    [now.toISOString()],
  )
  return rows.map(({ user_id, path, account_revision, ...rhythm }) => ({ user_id, path, account_revision, rhythm }))
}

/** Open alerts about silent sources. */
export const lastingSilences = (database: Queryable): Promise<{ user_id: number; subject: string }[]> =>
  database.query(`SELECT user_id, subject FROM read_model.alert WHERE kind = 'source_silent' AND until IS NULL`)
