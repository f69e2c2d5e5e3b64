// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** Scheduled work. A job may be late, be skipped, or be run by two processes at once without harm. */
import { schedule } from 'node-cron'
import type { Clock } from '../../domain/ports.ts'

export interface ScheduledJob {
  name: string
  /** The schedule in cron syntax, in UTC: minute, hour, day, month, weekday, optionally with seconds in front. */
  at: string
  /** @returns fields for the log line; null for no line */
  run: (signal: AbortSignal) => Promise<object | null>
}

interface Lines {
  info(fields: object, what: string): void
  error(fields: object, what: string): void
}

/** Milliseconds between two looks at the clock. */
const LOOK_EVERY_MS = 10_000
/** Milliseconds. A clock that is set back by less delays a job by less. */
const SMALL_CORRECTION_MS = 1_000

/** Calls it when the clock has been set back. @returns the function that ends the looks */
const onSetBack = (clock: Clock, act: () => void, everyMs: number): (() => void) => {
  // A monotonic clock is never set back.
  const ahead = () => clock.now().getTime() - performance.now()
  let before = ahead()
  const looks = setInterval(() => {
    const present = ahead()
    if (present < before - SMALL_CORRECTION_MS) act()
    before = present
  }, everyMs)
  return () => clearInterval(looks)
}

/**
 * Runs jobs until the signal aborts, then waits for running ones. A failed job is retried at its next time. A job whose time has passed, as
 * while the machine was suspended, runs at once.
 */
export const runScheduled = async (
  jobs: readonly ScheduledJob[],
  log: Lines,
  clock: Clock,
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<void> => {
  const running = new Set<Promise<void>>()
  const tasks = jobs.map((job) =>
    schedule(
      job.at,
      async () => {
        const work = runOnce(job, log, signal)
        running.add(work)
        await work.finally(() => running.delete(work))
      },
      {
        name: job.name,
        noOverlap: true,
        timezone: 'UTC',
        suppressMissedWarning: true,
        missedExecutionTolerance: Infinity,
      },
    ),
  )
  // Each task waits for a time of day, which is far away then.
  const startAgain = () => {
    for (const task of tasks) {
      void task.stop()
      void task.start()
    }
  }
  const endLooks = onSetBack(clock, startAgain, lookEveryMs)
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  endLooks()
  for (const task of tasks) await task.destroy()
  await Promise.all(running)
}

const runOnce = async ({ name, run }: ScheduledJob, log: Lines, signal: AbortSignal): Promise<void> => {
  const started = performance.now()
  try {
    const details = await run(signal)
    if (details)
      log.info({ job: name, duration_ms: Math.round(performance.now() - started), ...details }, 'planned.done')
  } catch (error) {
    if (!signal.aborted) log.error({ job: name, reason: (error as Error).message }, 'planned.failed')
  }
}
