/** Work on many transactions that goes on by itself: stream `job-<id>`. No text of a notification is in it. */
import { z } from 'zod'
import { sourceType } from '../transaction/events.ts'

const id = z.int().positive()
const moment = z.iso.datetime()

/** A transaction's place among a user's: by capture, then by id. */
const place = z.object({ created_at: moment, id })
export type Place = z.infer<typeof place>

/** Which failed transactions are meant; days are Vietnam's, both inclusive. */
const jobFilter = z.object({
  bank_code: z.string().optional(),
  type: z.enum(['credit', 'debit']).optional(),
  source_type: sourceType.optional(),
  date_from: z.string().optional(),
  date_to: z.string().optional(),
  rule_id: id.optional(),
})
export type JobFilter = z.infer<typeof jobFilter>

export const jobEvents = {
  JobCreated: z.object({
    job_id: id,
    user_id: id,
    kind: z.literal('bulk_retry'),
    filter: jobFilter,
    /** How many it found then. */
    total: z.int().min(0),
    /** The newest of them: what comes later is not meant. null where there was none. */
    up_to: place.nullable(),
    created_at: moment,
  }),
  /** Progress so far, and the page that starts now. A process that takes over starts with this page, possibly again. */
  JobProgressed: z.object({
    job_id: id,
    done: z.int().min(0),
    failed: z.int().min(0),
    page: z.object({
      /** Not included; null: from the first. */ after: place.nullable(),
      to: place,
      count: z.int().positive(),
    }),
  }),
  JobCancelled: z.object({ job_id: id }),
  JobDone: z.object({ job_id: id, done: z.int().min(0), failed: z.int().min(0) }),
}

type Schemas = typeof jobEvents
export type JobEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type JobEvent = { [Type in keyof Schemas]: { type: Type; data: JobEventData[Type] } }[keyof Schemas]

export const jobStream = (jobId: number): string => `job-${jobId}`
