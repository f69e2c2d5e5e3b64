// Tests: tests/integration/http/jobs.test.ts
/** Jobs as their owner sees them. A process that takes over a job reads it here. */
import { insert, projection, table, update } from '../engine/definition.ts'

const jobTable = table(
  'job',
  {
    job_id: 'bigint',
    user_id: 'bigint',
    /** `running`, `done` or `cancelled` */
    status: 'text',
    total: 'bigint',
    done: 'bigint',
    failed: 'bigint',
    created_at: 'timestamptz',
  },
  { key: ['job_id'], indexes: ["(job_id) WHERE status = 'running'"] },
)

export const job = projection(
  jobTable,
  { version: 1 },
  {
    JobCreated: ({ data: { job_id, user_id, total, created_at } }) =>
      insert(jobTable, { job_id, user_id, status: 'running', total, done: 0, failed: 0, created_at }),
    JobProgressed: ({ data: { job_id, done, failed } }) => update(jobTable, { job_id }, { done, failed }),
    JobCancelled: ({ data: { job_id } }) => update(jobTable, { job_id }, { status: 'cancelled' }),
    JobDone: ({ data: { job_id, done, failed } }) => update(jobTable, { job_id }, { status: 'done', done, failed }),
  },
)
