// Tests: tests/integration/scheduled/watch-clocks.test.ts
/**
 * Compares the clock of each process with that of the database, once a minute. Only a process whose clock differs writes, so this costs one
 * small read. Its row is for `baoco status`, the operator's page and the alert (`workflows/scheduled/watch-clocks.ts`).
 */
import { aheadBy, CLOCK_DIFFERS_MS } from '../../../domain/clock.ts'
import type { Clock, LogLines } from '../../../domain/ports.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import { endedWithin } from '../../../workflows/support/ended-within.ts'
import type { Database, Queryable } from '../../database/database.ts'

const EVERY_MS = 60_000
const ANSWERS_WITHIN_MS = 5_000
const CLOSE_WITHIN_MS = 1_000
/** A row that is older, or by so much in the future, is of a process that has ended or of a clock that was set since. */
const IS_PRESENT = `measured_at BETWEEN now() - interval '3 minutes' AND now() + interval '3 minutes'`

export interface ProcessClock {
  process: string
  machine: string
  /** By how many milliseconds it is ahead of the database's clock; negative if it is behind. */
  ahead_ms: number
}

/** @returns milliseconds by which the clock is ahead of the database's; negative if it is behind */
export const aheadOfDatabase = async (database: Queryable, clock: Clock): Promise<number> => {
  const asked = clock.now()
  const [row] = await database.query<{ at: string }>('SELECT clock_timestamp() AS at')
  return aheadBy(new Date(row!.at), asked, clock.now())
}

/** Processes whose clock differs now, those that differ most first. */
export const differingClocks = (database: Queryable): Promise<ProcessClock[]> =>
  database.query<ProcessClock>(
    `SELECT process, machine, ahead_ms FROM ops.process_clock WHERE ${IS_PRESENT} ORDER BY abs(ahead_ms) DESC, process LIMIT 100`,
  )

const KEEP = `
WITH swept AS (DELETE FROM ops.process_clock WHERE NOT (${IS_PRESENT}) AND process <> $1)
INSERT INTO ops.process_clock (process, machine, ahead_ms) VALUES ($1, $2, $3)
ON CONFLICT (process) DO UPDATE SET machine = excluded.machine, ahead_ms = excluded.ahead_ms, measured_at = now()`

const FORGET = 'DELETE FROM ops.process_clock WHERE process = $1'

export interface ClockWatchOptions {
  database: Pick<Database, 'within'>
  clock: Clock
  /** Names this process to the operator. */
  process: string
  machine: string
  log: Pick<LogLines, 'info' | 'warn'>
  /** Milliseconds. Only tests change it. */
  everyMs?: number
}

export interface ClockWatch {
  /** Milliseconds by which this process is ahead of the database; null if that is not known. */
  ahead(): number | null
  close(): Promise<void>
}

export const watchClock = ({
  database,
  clock,
  process,
  machine,
  log,
  everyMs = EVERY_MS,
}: ClockWatchOptions): ClockWatch => {
  const ending = new AbortController()
  const answers = database.within(ANSWERS_WITHIN_MS)
  let ahead: number | null = null
  let differs = false

  const look = async (): Promise<void> => {
    ahead = await aheadOfDatabase(answers, clock)
    const differed = differs
    differs = Math.abs(ahead) >= CLOCK_DIFFERS_MS
    if (differs && !differed) log.warn({ ahead_ms: ahead }, 'clock.differs')
    if (differed && !differs) log.info({}, 'clock.agrees')
    if (differs) await answers.query(KEEP, [process, machine, ahead])
    else if (differed) await answers.query(FORGET, [process])
  }
  const forget = async (): Promise<void> => {
    if (differs) await answers.query(FORGET, [process]).catch(() => {})
  }
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      // While the database is away, the difference is not known. That has its own lines in the log.
      await look().catch(() => (ahead = null))
      await waitUnlessAborted(everyMs, ending.signal)
    }
  }
  const running = run()
  return {
    ahead: () => ahead,
    close: async () => {
      ending.abort()
      // An unavailable database must not keep the process from stopping. Then the row is soon too old to count.
      await endedWithin(CLOSE_WITHIN_MS, running.then(forget))
    },
  }
}
