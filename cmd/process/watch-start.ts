// Tests: tests/integration/roles/start.test.ts
/**
 * Names what a start waits for in the database: in the log, in `/readyz` and at a stop. It may be a lock, or the database itself, if it went
 * away after it had answered. A session that somebody has left open in the middle of a transaction, such as a `psql`, may hold one for
 * hours. A statement that waits cannot be interrupted, so a stopped start that waits is given up.
 */
import { blockedBy } from '../../adapters/database/blocked.ts'
import type { Database } from '../../adapters/database/database.ts'
import { isOutage } from '../../adapters/event-store/postgres/outage.ts'
import { within } from '../../adapters/system/within.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { AwaitedServers } from './front.ts'
import { STOPPED_EARLY } from './stop-signal.ts'

const DATABASE = 'database'
const LOOK_EVERY_MS = 5_000
/** The check itself must not wait long. */
const WITHIN_MS = 2_000
/** After the stop. */
const GIVEN_UP_AFTER_MS = 2_500

export interface WatchStartParts {
  database: Pick<Database, 'within'>
  log: Pick<LogLines, 'warn'>
  stopping: AbortSignal
  /** Contains `database` while a lock or the database is awaited. */
  awaited: AwaitedServers
  /** Whether this process runs the database, which must be stopped in order. */
  ownsDatabase: boolean
}

/** @returns a function that ends the watch */
export const watchStart = ({ database, log, stopping, awaited, ownsDatabase }: WatchStartParts): (() => void) => {
  let isOver = false
  const look = async (): Promise<void> => {
    const asked = blockedBy(database.within(WITHIN_MS))
    const late = () => new Error(`no answer within ${WITHIN_MS} ms`)
    // A server that does not tell what its sessions wait for answers nevertheless.
    const reason = await within(WITHIN_MS, asked, late).catch((error: NodeJS.ErrnoException) =>
      isOutage(error) ? error.message || error.code : null,
    )
    if (isOver) return
    if (reason === null) return void awaited.delete(DATABASE)
    awaited.add(DATABASE)
    log.warn({ waiting_for: DATABASE, reason }, 'start.waiting')
  }
  let givingUp: NodeJS.Timeout | undefined
  const stop = (): void => {
    void look()
    givingUp = setTimeout(() => {
      if (ownsDatabase || !awaited.has(DATABASE)) return
      console.error(STOPPED_EARLY)
      process.exit(0)
    }, GIVEN_UP_AFTER_MS).unref()
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref()
  stopping.addEventListener('abort', stop, { once: true })
  return () => {
    isOver = true
    awaited.delete(DATABASE)
    clearInterval(timer)
    clearTimeout(givingUp)
    stopping.removeEventListener('abort', stop)
  }
}
