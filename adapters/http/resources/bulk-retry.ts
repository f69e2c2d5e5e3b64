// Tests: tests/integration/http/jobs.test.ts
/** Retries the recent failures of an account, or the transactions that a filter selects (interface, section 8). */
import { z } from 'zod'
import { openRetriedTransactions } from '../../../projections/job/queries.ts'
import { failedTransactions } from '../../../projections/transaction/queries.ts'
import { createJob } from '../../../workflows/jobs/bulk-retry.ts'
import { retryAll } from '../../../workflows/transactions/by-hand.ts'
import { type ApiContext, occasionOf } from '../context.ts'
import { type ApiParts, settled } from '../parts.ts'
import type { BulkRetry } from './request-bodies.ts'

const BULK_RETRY_LIMIT = 100

export const Queued = z.strictObject({
  success: z.literal(true),
  count: z.int().min(0),
  job_id: z
    .int()
    .positive()
    .nullable()
    .optional()
    .meta({ description: 'Result of the call with a body; null for a dry run.' }),
})

export const bulkRetry =
  (parts: ApiParts) =>
  async (context: ApiContext, { filter, dry_run }: z.infer<typeof BulkRetry> = {}) => {
    const { clock, database, store } = parts
    const { account } = context.state
    const reads = database.of(account.user_id)
    if (filter !== undefined || dry_run !== undefined) {
      const transactions = openRetriedTransactions(reads)
      const found = await transactions.count(account.user_id, filter ?? {})
      if (dry_run) return { success: true as const, count: found.count, job_id: null }
      const job = await createJob({ ...parts, transactions }, occasionOf(context, clock), filter ?? {}, found)
      await settled(parts, job)
      return { success: true as const, count: found.count, job_id: job.job_id }
    }
    const ids = await failedTransactions(reads, account.user_id, clock.now(), BULK_RETRY_LIMIT)
    const retried = await settled(parts, retryAll(store, account, occasionOf(context, clock), ids))
    return { success: true as const, count: retried.count }
  }
