// Tests: tests/integration/http/jobs.test.ts
/** A bulk operation on many transactions that runs in the background: stream `job-<id>`. It contains no notification texts. */
import { z } from 'zod'
import { sourceType } from '../transaction/events.ts'
import { count, id, moment } from '../fields.ts'

/** The position of a transaction among those of a user: by capture time, then by id. */
const position = z.object({ created_at: moment, id })
export type JobPosition = z.infer<typeof position>

export const retriedStatus = z.enum(['failed', 'pending', 'success'])
export type RetriedStatus = z.infer<typeof retriedStatus>

/** Selects transactions. Days are the Vietnamese days of their capture, both inclusive. */
const jobFilter = z.object({
  /** Without it, those that failed. */
  status: retriedStatus.optional(),
  bank_code: z.string().optional(),
  type: z.enum(['credit', 'debit']).optional(),
  source_type: sourceType.optional(),
  date_from: z.string().optional(),
  date_to: z.string().optional(),
  rule_id: id.optional(),
  /** The class of the last error, such as `timeout`. */
  error: z.string().optional(),
})
export type JobFilter = z.infer<typeof jobFilter>

export const jobEvents = {
  JobCreated: z.object({
    job_id: id,
    user_id: id,
    kind: z.literal('bulk_retry'),
    filter: jobFilter,
    /** How many transactions the filter matched at creation. */
    total: count,
    /** The newest matching transaction. Later ones are not included. Null if there was none. */
    up_to: position.nullable(),
    created_at: moment,
  }),
  /** The progress so far, and the page that starts now. A process that takes over starts with this page, possibly again. */
  JobProgressed: z.object({
    job_id: id,
    done: count,
    failed: count,
    page: z.object({
      /** Begins after this one; null: with the first. */ after: position.nullable(),
      to: position,
      count: z.int().positive(),
    }),
  }),
  JobCancelled: z.object({ job_id: id }),
  JobDone: z.object({ job_id: id, done: count, failed: count }),
}

type Schemas = typeof jobEvents
export type JobEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type JobEvent = { [Type in keyof Schemas]: { type: Type; data: JobEventData[Type] } }[keyof Schemas]

export const jobStream = (jobId: number): string => `job-${jobId}`
