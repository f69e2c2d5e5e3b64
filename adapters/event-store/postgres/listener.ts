/**
 * A connection that hears the NOTIFY of every commit. Only a hint that spares waiting for the next poll: losing the
 * connection, or any notification, costs nothing else.
 */
import type { Database } from '../../database/database.ts'
import { orAborted, waitUnlessAborted } from '../../../workflows/support/abort.ts'
import { backOff } from '../until-answered.ts'

const CHANNEL = 'baoco_store'
const LONGEST_PAUSE_MS = 5_000
/** A connection that only listens would not notice a network that has gone silent. */
const PROBE_MS = 15_000

/** Told of a commit: the newest position then, null where it is not known. */
export type OnCommit = (newest: number | null) => void

/** Listens until the signal aborts, connecting again whenever the connection is lost. */
export const listen = async (database: Database, onCommit: OnCommit, signal: AbortSignal): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      await listenOnce(database, onCommit, signal, () => (tries = 0))
    } catch {
      // The poll goes on meanwhile and reports what is wrong.
    }
    await waitUnlessAborted(backOff(tries, LONGEST_PAUSE_MS), signal)
  }
}

/** Listens on one connection for as long as it lasts; throws when it breaks. */
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
    // What was committed before the LISTEN took hold was not announced.
    onCommit(null)
    while (!signal.aborted) {
      const pause = new AbortController()
      const waited = waitUnlessAborted(PROBE_MS, AbortSignal.any([signal, pause.signal]))
      const outcome = await orAborted(Promise.race([broken, waited]), signal)
      pause.abort()
      if (outcome === 'broken' || signal.aborted) return
      await client.query('SELECT 1')
    }
  } finally {
    client.end().catch(() => {})
  }
}
