// Tests: tests/integration/http/jobs.test.ts
/** The state of a job, and its next steps. Pure. */
import { Refused } from '../errors.ts'
import type { JobEvent, JobEventData } from './events.ts'

export type Page = JobEventData['JobProgressed']['page']

export interface Job extends Pick<JobEventData['JobCreated'], 'job_id' | 'user_id' | 'filter' | 'total' | 'up_to'> {
  status: 'running' | 'done' | 'cancelled'
  /** `done` counts processed transactions, and `failed` those of them that could not be queued. */
  done: number
  failed: number
  /** The page that was started and is not known to be done. */
  page: Page | null
}

export const evolve = (job: Job | null, event: JobEvent): Job | null => {
  if (event.type === 'JobCreated') {
    const { job_id, user_id, filter, total, up_to } = event.data
    return { job_id, user_id, filter, total, up_to, status: 'running', done: 0, failed: 0, page: null }
  }
  if (!job) return null
  switch (event.type) {
    case 'JobProgressed': {
      const { done, failed, page } = event.data
      return { ...job, done, failed, page }
    }
    case 'JobCancelled':
      return { ...job, status: 'cancelled', page: null }
    case 'JobDone':
      return { ...job, status: 'done', done: event.data.done, failed: event.data.failed, page: null }
  }
}

/**
 * Completes the current page, and starts the next one if there is one.
 * @param failed  transactions of the page that could not be queued
 */
export const goOn = (job: Job, failed: number, next: Page | null): JobEvent[] => {
  if (job.status !== 'running') return []
  const { job_id } = job
  const so_far = { job_id, done: job.done + (job.page?.count ?? 0), failed: job.failed + failed }
  return next ? [{ type: 'JobProgressed', data: { ...so_far, page: next } }] : [{ type: 'JobDone', data: so_far }]
}

/** Transactions that are already queued stay queued. @throws {Refused} NOT_FOUND, or CONFLICT if the job has ended */
export const cancel = (job: Job | null, userId: number): JobEvent[] => {
  if (job?.user_id !== userId) throw new Refused('NOT_FOUND', 'The job does not exist.')
  if (job.status === 'cancelled') return []
  if (job.status === 'done') throw new Refused('CONFLICT', 'The job has already ended.')
  return [{ type: 'JobCancelled', data: { job_id: job.job_id } }]
}
