// Tests: tests/contract/event-store/postgres.test.ts
/**
 * A connection that receives the NOTIFY of every commit. It is only a hint that saves waiting for the next poll. Losing the
 * connection or a notification has no other effect.
 */
import type { Database } from '../../database/database.ts'
import { orAborted, waitUnlessAborted } from '../../../workflows/support/abort.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'

const CHANNEL = 'baoco_store'
/** Announces nothing: no event has this position. It shows the receiver that announcements arrive, because a pooler may not pass them on. */
const ANNOUNCE_NOTHING = `SELECT pg_notify('${CHANNEL}', '0')`
const LONGEST_PAUSE_MS = 5_000
/** The probe interval. A connection that only listens would not detect a network that has become silent. */
const PROBE_MS = 15_000

/** Called after a commit, with the newest position at that time. Null if the position is unknown. */
export type OnCommit = (newest: number | null) => void

/** Listens until the signal aborts, and reconnects whenever the connection is lost. */
export const listen = async (database: Database, onCommit: OnCommit, signal: AbortSignal): Promise<void> => {
  await retry((worked) => listenOnce(database, onCommit, signal, worked), {
    signal,
    backOff: { ...BACK_OFF, mostMs: LONGEST_PAUSE_MS },
    // The poll continues meanwhile and reports the error.
    onFailure: () => {},
  })
}

/** Listens on one connection until the signal aborts. @throws when the connection breaks */
const listenOnce = async (
  database: Database,
  onCommit: OnCommit,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> => {
  const client = await database.connect()
  try {
    const broken = new Promise<'broken'>((resolve) => {
      client.once('end', () => resolve('broken'))
      client.once('error', () => resolve('broken'))
    })
    client.on('notification', ({ payload }) => onCommit(payload ? Number(payload) : null))
    await client.query(`LISTEN ${CHANNEL}`)
    onListening()
    // Events that were committed before LISTEN took effect were not announced.
    onCommit(null)
    // Without it, the log is read more often.
    await database.query(ANNOUNCE_NOTHING).catch(() => {})
    while (!signal.aborted) {
      const pause = new AbortController()
      const waited = waitUnlessAborted(PROBE_MS, AbortSignal.any([signal, pause.signal]))
      const outcome = await orAborted(Promise.race([broken, waited]), signal)
      pause.abort()
      if (signal.aborted) return
      if (outcome === 'broken') throw new Error('the listening connection was lost')
      await client.query('SELECT 1')
    }
  } finally {
    client.end().catch(() => {})
  }
}
