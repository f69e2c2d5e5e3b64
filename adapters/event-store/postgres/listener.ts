/**
 * A connection that hears the NOTIFY of every commit. Only a hint that spares waiting for the next poll: losing the
 * connection, or any notification, costs nothing else.
 */
import type pg from 'pg'
import type { Database } from '../../postgres/database.ts'
import { orAborted, waitUnlessAborted } from './abort.ts'
import { backOff } from './outage.ts'

const CHANNEL = 'baoco_store'
const LONGEST_PAUSE_MS = 5_000

/** Listens until the signal aborts, connecting again whenever the connection is lost. */
export const listen = async (database: Database, onCommit: () => void, signal: AbortSignal): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const client = await database.connect()
      const ended = new Promise<void>((resolve) => {
        client.once('end', resolve)
        client.once('error', () => resolve())
      })
      client.on('notification', onCommit)
      await subscribed(client)
      tries = 0
      // What was committed before the LISTEN took hold was not announced.
      onCommit()
      await orAborted(ended, signal)
      await client.end()
    } catch {
      // The poll goes on meanwhile and reports what is wrong.
    }
    await waitUnlessAborted(backOff(tries, LONGEST_PAUSE_MS), signal)
  }
}

const subscribed = async (client: pg.Client): Promise<void> => {
  try {
    await client.query(`LISTEN ${CHANNEL}`)
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}
