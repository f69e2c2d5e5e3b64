// Tests: tests/integration/http/jobs.test.ts
/** Reads for bulk retries: the transactions that a job covers, one page at a time, and the jobs. */
import type { JobFilter, JobPosition } from '../../domain/job/events.ts'
import type { RetriedTransactions } from '../../workflows/jobs/bulk-retry.ts'
import type { Queryable } from '../engine/queryable.ts'
import { selectionOf } from './selection.ts'

/** `where`: for transactions of each status that the filter selects. */
const matching = (userId: number, filter: JobFilter) => {
  const { values, add, ofTransactions, ofDelivery } = selectionOf(userId, filter)
  const hasDelivery = `EXISTS (SELECT FROM read_model.delivery d WHERE d.transaction_id = t.id AND ${ofDelivery('t')})`
  // Those of the first status have such a delivery anyway.
  const namesDelivery = filter.rule_id !== undefined || filter.error !== undefined
  const where = ofTransactions.map((of, index) => (namesDelivery || index > 0 ? `${of} AND ${hasDelivery}` : of))
  return { values, add, where }
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
    const found = where.map((each) => `SELECT t.created_at, t.id FROM read_model.transaction t WHERE ${each}`)
    const [row] = await database.query<{ count: number; created_at: string | null; id: number | null }>(
      `WITH found AS (${found.join(' UNION ALL ')})
       SELECT (SELECT count(*) FROM found) AS count, newest.created_at, newest.id
       FROM (SELECT) one LEFT JOIN LATERAL (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT 1) newest ON true`,
      values,
    )
    const { count, created_at, id } = row!
    return { count, newest: created_at === null || id === null ? null : { created_at, id } }
  },

  between: async (userId, filter, { after, to, limit }) => {
    const { values, add, where } = matching(userId, filter)
    const later = after ? ` AND ${PLACE} > (${add(after.created_at)}::timestamptz, ${add(after.id)}::bigint)` : ''
    const end = [`${add(to.created_at)}::timestamptz`, `${add(to.id)}::bigint`]
    const page = (of: string, until: string) =>
      `SELECT t.created_at, t.id FROM read_model.transaction t WHERE ${of}${later} AND ${PLACE} <= (${until})
       ORDER BY t.created_at, t.id LIMIT ${limit}`
    const [first, ...others] = where
    // Those of the other statuses are looked for only up to the end of a full page. So all pages together read each of them once.
    const until = `coalesce((SELECT created_at FROM last), ${end[0]}), coalesce((SELECT id FROM last), ${end[1]})`
    return database.query<JobPosition>(
      `WITH first AS MATERIALIZED (${page(first!, end.join(', '))}),
         last AS (SELECT * FROM first ORDER BY created_at, id OFFSET ${limit - 1})
       SELECT * FROM (${['SELECT * FROM first', ...others.map((of) => `(${page(of, until)})`)].join(' UNION ALL ')}) AS found
       ORDER BY created_at, id LIMIT ${limit}`,
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
