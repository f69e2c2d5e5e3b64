// Tests: tests/integration/capture/capture.test.ts
/** Answers each notification once: with its result, or with the reason why it is not known to be stored. */
import { StoreUnavailable } from '../../domain/errors.ts'
import type { Job } from './job.ts'
import { takenInfoOf, type TakenInfo } from './taken-info.ts'
import type { Answer } from './units.ts'

/** @param elapsed  the time of a clock that only rises, milliseconds */
export const openAnswers = (onTaken: ((info: TakenInfo) => void) | undefined, elapsed: () => number) => {
  /** @param group  number of notifications in its group */
  const answer = ({ job, taken, outcome }: Answer, group: number): void => {
    onTaken?.(takenInfoOf(job, outcome, taken, group))
    job.isAnswered = true
    job.resolve(taken)
  }

  /** Does nothing if the job has an answer. */
  const fail = (job: Job, error: unknown, group: number): void => {
    if (job.isAnswered) return
    onTaken?.(takenInfoOf(job, 'failed', null, group))
    job.isAnswered = true
    job.reject(error)
  }

  /**
   * Refuses the jobs that have no answer in time. A group of theirs may still store them: then they are found when they are sent
   * again. @returns a function that ends the wait
   */
  const refuseLater = (jobs: readonly Job[], withinMs: number): (() => void) => {
    const deadline = elapsed() + withinMs
    const look = (): void => {
      const left = deadline - elapsed()
      if (left > 0) timer = setTimeout(look, left)
      else for (const job of jobs) fail(job, new StoreUnavailable('the notification was not stored in time'), 0)
    }
    let timer = setTimeout(look, withinMs)
    return () => clearTimeout(timer)
  }

  return { answer, fail, refuseLater }
}
