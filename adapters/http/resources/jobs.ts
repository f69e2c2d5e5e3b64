// Tests: tests/integration/http/jobs.test.ts
/** Jobs: their progress, and their cancellation. */
import { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { cancelJob } from '../../../workflows/jobs/bulk-retry.ts'
import { findJob, type JobRow } from '../../../projections/job/queries.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { noBody } from '../openapi/input.ts'
import { data, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { id } from '../../../domain/fields.ts'

const Job = z
  .strictObject({
    id,
    status: z.enum(['running', 'done', 'cancelled']),
    total: z.int().min(0).meta({ description: 'Number of items when the job started.' }),
    done: z.int().min(0).meta({ description: 'Items processed so far.' }),
    failed: z.int().min(0).meta({ description: 'Processed items that could not be queued.' }),
  })
  .meta({ id: 'Job' })

const Cancelled = z.strictObject({ success: z.literal(true), message: z.string(), data: Job })

export const jobRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, store } = parts
  const { get, remove } = operations.of('Jobs', signedIn)

  const showJob = async (context: ApiContext): Promise<JobRow> => {
    const { user_id } = context.state.account
    const job = await findJob(database.of(user_id), user_id, idOf(context))
    if (!job) throw notFound('job')
    return job
  }

  const endJob = async (context: ApiContext) => {
    await settled(parts, cancelJob(store, occasionOf(context, clock), idOf(context)))
    return {
      success: true as const,
      message: 'The job was cancelled. Deliveries that it already queued stay queued.',
      data: await showJob(context),
    }
  }

  get('/api/jobs/:id', 'Get the progress of a job', data(Job), showJob)
  remove('/api/jobs/:id', 'Cancel a job', noBody, refuses('CONFLICT'), whole(Cancelled), endJob)
}
