// Tests: tests/integration/http/jobs.test.ts
/** Reads for bulk retries: the transactions that a job covers, one page at a time, and the jobs. */
import type { JobFilter, JobPosition } from '../../domain/job/events.ts'
import type { RetriedTransactions } from '../../workflows/jobs/bulk-retry.ts'
import type { Queryable } from '../engine/queryable.ts'
import { selectionOf } from './selection.ts'

const matching = (userId: number, filter: JobFilter) => {
  const { values, add, ofTransaction, ofDelivery } = selectionOf(userId, filter)
  const where = [ofTransaction]
  if (filter.rule_id !== undefined || filter.error !== undefined)
    where.push(`EXISTS (SELECT FROM read_model.delivery d WHERE d.transaction_id = t.id AND ${ofDelivery})`)
  const at = (position: JobPosition) => `(${add(position.created_at)}::timestamptz, ${add(position.id)}::bigint)`
  return { values, where, at }
}

/** First the oldest job of each account, then the second ones, and so on. The jobs of locked accounts wait. */
const TURNS = `
SELECT job_id FROM (
  SELECT j.job_id, row_number() OVER (PARTITION BY j.user_id ORDER BY j.job_id) AS turn
  FROM read_model.job j LEFT JOIN read_model.account a USING (user_id)
  WHERE j.status = 'running' AND a.locked IS NOT TRUE
) running
ORDER BY turn, job_id LIMIT 100`

const PLACE = '(t.created_at, t.id)'

export const openRetriedTransactions = (database: Queryable): RetriedTransactions => ({
  count: async (userId, filter) => {
    const { values, where } = matching(userId, filter)
    const [row] = await database.query<{ count: number; created_at: string | null; id: number | null }>(
      `WITH found AS (SELECT t.created_at, t.id FROM read_model.transaction t WHERE ${where.join(' AND ')})
       SELECT (SELECT count(*) FROM found) AS count, newest.created_at, newest.id
       FROM (SELECT) one LEFT JOIN LATERAL (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT 1) newest ON true`,
      values,
    )
    const { count, created_at, id } = row!
    return { count, newest: created_at === null || id === null ? null : { created_at, id } }
  },

  between: async (userId, filter, { after, to, limit }) => {
    const { values, where, at } = matching(userId, filter)
    if (after) where.push(`${PLACE} > ${at(after)}`)
    where.push(`${PLACE} <= ${at(to)}`)
    return database.query<JobPosition>(
      `SELECT t.created_at, t.id FROM read_model.transaction t WHERE ${where.join(' AND ')}
       ORDER BY t.created_at, t.id LIMIT ${limit}`,
      values,
    )
  },

  runningJobs: async () => (await database.query<{ job_id: number }>(TURNS)).map(({ job_id }) => job_id),

  runningOf: async (userId) => {
    const [row] = await database.query<{ count: number }>(
      "SELECT count(*) AS count FROM read_model.job WHERE user_id = $1 AND status = 'running'",
      [userId],
    )
    return row!.count
  },
})

export interface JobRow {
  id: number
  status: 'running' | 'done' | 'cancelled'
  total: number
  done: number
  failed: number
}

/** One of a user's jobs; null if the user has none with this id. */
export const findJob = async (database: Queryable, userId: number, id: number): Promise<JobRow | null> => {
  const [row] = await database.query<JobRow>(
    'SELECT job_id AS id, status, total, done, failed FROM read_model.job WHERE job_id = $2 AND user_id = $1',
    [userId, id],
    'job',
  )
  return row ?? null
}
