// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** Scheduled work. A job may be late, be skipped, or be run by two processes at once without harm. */
import { schedule } from 'node-cron'

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

/** Runs jobs until the signal aborts, then waits for running ones. A failed job is retried at its next time. */
export const runScheduled = async (jobs: readonly ScheduledJob[], log: Lines, signal: AbortSignal): Promise<void> => {
  const running = new Set<Promise<void>>()
  const tasks = jobs.map((job) =>
    schedule(
      job.at,
      async () => {
        const work = runOnce(job, log, signal)
        running.add(work)
        await work.finally(() => running.delete(work))
      },
      { name: job.name, noOverlap: true, timezone: 'UTC', suppressMissedWarning: true },
    ),
  )
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
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
