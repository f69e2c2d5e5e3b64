// Tests: tests/integration/scheduled/believed-clock.test.ts
/** Jobs that delete or end what is old wait while the clock is doubted (`domain/clock.ts`). */
import { seeClock, type SeenClock } from '../../domain/clock.ts'
import type { Clock, LogLines } from '../../domain/ports.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/** The memory about the clocks. */
export interface ClockMemory {
  /** The time of the database, and how the clocks were last seen. */
  recall(): Promise<{ now: Date; before: SeenClock | null }>
  keep(seen: SeenClock): Promise<void>
}

export interface BelievedClockParts {
  clock: Clock
  memory: ClockMemory
  log: Pick<LogLines, 'warn'>
}

export const onBelievedClock = (
  { clock, memory, log }: BelievedClockParts,
  jobs: readonly ScheduledJob[],
): ScheduledJob[] => {
  /** Jobs use the clock of the process or of the database. The later one counts, because it makes more seem old. */
  const look = async (): Promise<boolean> => {
    const { now, before } = await memory.recall()
    const seen = seeClock(before, new Date(Math.max(now.getTime(), clock.now().getTime())))
    await memory.keep(seen)
    const { doubted_until } = seen
    if (doubted_until !== null && before?.doubted_until !== doubted_until)
      log.warn({ from: before?.seen_at, to: seen.seen_at, doubted_until }, 'clock.doubted')
    return doubted_until === null
  }
  /** Jobs that begin together look once. */
  let looking: Promise<boolean> | null = null
  const isBelieved = (): Promise<boolean> => (looking ??= look().finally(() => (looking = null)))
  return jobs.map((job) => ({ ...job, run: async (signal) => ((await isBelieved()) ? job.run(signal) : null) }))
}
