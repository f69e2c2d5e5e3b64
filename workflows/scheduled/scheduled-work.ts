// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** Scheduled work. A job may be late, be skipped, or be run by two processes at once without harm. */
import { createTask } from 'node-cron'
import { isReported } from '../../domain/errors.ts'
import type { Clock, LogLines } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../support/abort.ts'

export interface ScheduledJob {
  name: string
  /**
   * The schedule in cron syntax, in UTC: minute, hour, day, month, weekday, optionally with seconds in front. Frequent jobs begin at different
   * seconds. At the same second, each would need a connection of its own.
   */
  at: string
  /** @returns fields for the log line; null for no line */
  run: (signal: AbortSignal) => Promise<object | null>
}

/** A job that removes something. @param as  the field of its log line for how many, which is left out if there were none */
export const removing = (
  name: string,
  at: string,
  remove: (signal: AbortSignal) => Promise<number>,
  as = 'swept',
): ScheduledJob => ({
  name,
  at,
  run: async (signal) => {
    const number = await remove(signal)
    return number > 0 ? { [as]: number } : null
  },
})

type Lines = Pick<LogLines, 'debug' | 'info' | 'error'>

/** Milliseconds between two checks of the clock. One timer for each job would stand still while the machine is suspended. */
const LOOK_EVERY_MS = 1_000

/**
 * Runs jobs until the signal aborts, then waits for running ones. A failed job is retried at its next time. A job whose time has passed, as
 * while the machine was suspended, runs at once, and once only. A job that still runs at its next time is not begun again.
 */
export const runScheduled = async (
  jobs: readonly ScheduledJob[],
  log: Lines,
  clock: Clock,
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<void> => {
  const running = new Map<ScheduledJob, Promise<void>>()
  const begin = (job: ScheduledJob): void => {
    if (running.has(job)) return
    running.set(
      job,
      runOnce(job, log, signal).finally(() => running.delete(job)),
    )
  }
  const scheduled = jobs.map((job) => {
    const task = createTask(job.at, () => {}, { timezone: 'UTC' })
    const next = (): Date => task.getNextRuns(1)[0]!
    return { job, task, next, due: next() }
  })
  for (let before = clock.now(); !signal.aborted; await waitUnlessAborted(lookEveryMs, signal)) {
    const now = clock.now()
    const wasSetBack = now < before
    before = now
    for (const each of scheduled) {
      const isDue = each.due <= now
      if (isDue) begin(each.job)
      // The time that was next may be far away then.
      if (isDue || wasSetBack) each.due = each.next()
    }
  }
  for (const { task } of scheduled) await task.destroy()
  await Promise.all(running.values())
}

const runOnce = async ({ name, run }: ScheduledJob, log: Lines, signal: AbortSignal): Promise<void> => {
  const started = performance.now()
  try {
    const details = await run(signal)
    if (details)
      log.info({ job: name, duration_ms: Math.round(performance.now() - started), ...details }, 'scheduled.done')
  } catch (error) {
    if (!signal.aborted)
      log[isReported(error) ? 'debug' : 'error']({ job: name, reason: (error as Error).message }, 'scheduled.failed')
  }
}
