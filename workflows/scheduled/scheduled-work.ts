/** Work that goes by the clock. Each job may be late, missed or run by two processes at once without harm. */
import { schedule } from 'node-cron'

export interface PlannedJob {
  name: string
  /** When, as cron writes it, in UTC: minute, hour, day, month, weekday, or with seconds in front. */
  at: string
  /** @returns what there is to tell of it, null for nothing */
  run: (signal: AbortSignal) => Promise<object | null>
}

interface Lines {
  info(fields: object, what: string): void
  error(fields: object, what: string): void
}

/** Runs jobs until the signal aborts, then waits for the one that runs. A job that fails is tried again at its next time. */
export const plannedWork = async (jobs: readonly PlannedJob[], log: Lines, signal: AbortSignal): Promise<void> => {
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

const runOnce = async ({ name, run }: PlannedJob, log: Lines, signal: AbortSignal): Promise<void> => {
  const started = performance.now()
  try {
    const told = await run(signal)
    if (told) log.info({ job: name, duration_ms: Math.round(performance.now() - started), ...told }, 'planned.done')
  } catch (error) {
    if (!signal.aborted) log.error({ job: name, reason: (error as Error).message }, 'planned.failed')
  }
}
