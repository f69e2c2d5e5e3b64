// Tests: tests/integration/roles/shared-settings.test.ts
/**
 * Notices settings that differ between the processes of an installation. Each process holds a shared advisory lock for each of these settings. The
 * first number of the lock comes from the name and the second one from the value. The lock ends with its process, and needs no clock. Every role
 * of the cluster can read the numbers. So the value of a secret must be a text that is costly to guess.
 */
import { createHash } from 'node:crypto'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { endedWithin } from '../../workflows/support/ended-within.ts'
import type { Database, Queryable } from './database.ts'
import type { LogLines } from '../../domain/ports.ts'

const EVERY_MS = 60_000
/** A start that is refused prints only why. */
const FIRST_AFTER_MS = 5_000
const ANSWERS_WITHIN_MS = 5_000
const CLOSE_WITHIN_MS = 1_000

/** A text for the value of each setting, by its name. */
export type SharedSettings = Readonly<Record<string, string>>

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readInt32BE()
/** Change the first word when values are derived in another way. Then processes of two releases are not compared. */
const numberOfName = (name: string): number => numberOf(`shared setting ${name}`)

/** Takes the locks of a process, for as long as its connection lasts. */
export const holdSettings = (settings: SharedSettings): { text: string; values: number[][] } => ({
  text: `SELECT pg_advisory_lock_shared(name, value) FROM unnest($1::integer[], $2::integer[]) AS own (name, value)`,
  values: [Object.keys(settings).map(numberOfName), Object.values(settings).map(numberOf)],
})

const DIFFERING = `
SELECT setting, array_agg(processes ORDER BY processes) AS processes FROM (
  SELECT own.setting, string_agg(DISTINCT regexp_replace(a.application_name, '[)] [^)]*$', ')') ||
    coalesce(' from ' || host(a.client_addr), ''), ', ') AS processes
  FROM pg_locks l JOIN unnest($1::text[], $2::integer[]) AS own (setting, number) ON l.classid::bigint = own.number::bigint & 4294967295
    JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  GROUP BY own.setting, l.objid
) of_value GROUP BY setting HAVING count(*) > 1 ORDER BY setting`

export interface DifferingSetting {
  setting: string
  /** The processes that have the same value, as one text for each value. */
  processes: string[]
}

/** @param names  of the settings */
export const differingSettings = (database: Queryable, names: readonly string[]): Promise<DifferingSetting[]> =>
  database.query<DifferingSetting>(DIFFERING, [names, names.map(numberOfName)])

export interface SettingsWatchOptions {
  database: Pick<Database, 'within'>
  names: readonly string[]
  log: Pick<LogLines, 'info' | 'warn'>
  /** Milliseconds. Only tests change it. */
  everyMs?: number
}

/** Logs which settings differ, soon after the start and when it changes. @returns a function that ends it */
export const watchSettings = ({
  database,
  names,
  log,
  everyMs = EVERY_MS,
}: SettingsWatchOptions): (() => Promise<void>) => {
  const ending = new AbortController()
  const answers = database.within(ANSWERS_WITHIN_MS)
  let before = ''
  const look = async (): Promise<void> => {
    const differing = await differingSettings(answers, names)
    const now = differing.map(({ setting }) => setting).join(' ')
    if (now === before) return
    before = now
    if (now === '') log.info({}, 'settings.agree')
    else
      log.warn(Object.fromEntries(differing.map(({ setting, processes }) => [setting, processes])), 'settings.differ')
  }
  const run = async (): Promise<void> => {
    await waitUnlessAborted(Math.min(FIRST_AFTER_MS, everyMs), ending.signal)
    while (!ending.signal.aborted) {
      // An outage of the database has its own lines in the log.
      await look().catch(() => {})
      await waitUnlessAborted(everyMs, ending.signal)
    }
  }
  const running = run()
  return async () => {
    ending.abort()
    await endedWithin(CLOSE_WITHIN_MS, running)
  }
}
