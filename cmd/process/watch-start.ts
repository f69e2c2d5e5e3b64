// Tests: tests/integration/roles/start.test.ts
/**
 * Names the lock that a start waits for: in the log, in `/readyz` and at a stop. A session that somebody has left open in the middle of a transaction, such as a `psql`, may hold one for
 * hours. A statement that waits cannot be interrupted, so a stopped start that waits is given up.
 */
import { blockedBy } from '../../adapters/database/blocked.ts'
import type { Database } from '../../adapters/database/database.ts'
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
  /** Contains `database` while a lock is awaited. */
  awaited: AwaitedServers
  /** Whether this process runs the database, which must be stopped in order. */
  ownsDatabase: boolean
}

/** @returns a function that ends the watch */
export const watchStart = ({ database, log, stopping, awaited, ownsDatabase }: WatchStartParts): (() => void) => {
  const look = async (): Promise<void> => {
    const reason = await blockedBy(database.within(WITHIN_MS)).catch(() => null)
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
    awaited.delete(DATABASE)
    clearInterval(timer)
    clearTimeout(givingUp)
    stopping.removeEventListener('abort', stop)
  }
}
