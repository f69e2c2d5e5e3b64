// Tests: tests/integration/http/transactions.test.ts
/** The states of the deliveries of listed transactions. */
import type { Queryable } from '../engine/queryable.ts'

/** The number of rules by the state of their delivery. A delivery that was open when its rule was deleted is not counted. */
export interface DeliveryCounts {
  pending: number
  /** The pending ones that have had an attempt. */
  retrying: number
  success: number
  failed: number
}

export const NO_DELIVERIES: DeliveryCounts = { pending: 0, retrying: 0, success: 0, failed: 0 }

/** By transaction. Those without a delivery are missing. */
export const deliveryCounts = async (
  database: Queryable,
  transactions: readonly number[],
): Promise<ReadonlyMap<number, DeliveryCounts>> => {
  if (transactions.length === 0) return new Map()
  const rows = await database.query<DeliveryCounts & { transaction_id: number }>(
    `SELECT transaction_id, count(*) FILTER (WHERE status = 'open') AS pending,
       count(*) FILTER (WHERE status = 'open' AND attempt > 0) AS retrying,
       count(*) FILTER (WHERE status = 'succeeded') AS success, count(*) FILTER (WHERE status = 'failed') AS failed
     FROM read_model.delivery WHERE transaction_id = ANY ($1::bigint[]) GROUP BY transaction_id`,
    [transactions],
    'delivery-counts',
  )
  return new Map(rows.map(({ transaction_id, ...counts }) => [transaction_id, counts]))
}
