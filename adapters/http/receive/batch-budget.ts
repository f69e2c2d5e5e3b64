// Tests: tests/attack/single-requests.test.ts
/**
 * Limits how many items a token may send in batches (decision "Sizes"). The request limits count a batch as one request, so its items
 * have a separate budget. A batch that does not fit is refused as a whole and does not use the budget. The phone keeps it and sends it
 * again after `Retry-After`, so nothing is stored twice.
 */
import type { ShownToken } from '../../../domain/arrival/arrival.ts'
import type { ApiContext } from '../context.ts'
import { spend, type CounterFor } from '../middleware/rate-limits.ts'

/** Items per minute for each token. */
const LIMIT = { requests: 600, seconds: 60 }

/** @throws {Refused} RATE_LIMITED */
export type SpendItems = (context: ApiContext, shown: ShownToken, items: number) => Promise<void>

/** @param counterFor  null: no limit */
export const batchBudget = (counterFor: CounterFor | null): SpendItems => {
  const count = counterFor?.('batch', LIMIT)
  return async (context, { token_hash }, items) => {
    if (!count) return
    const used = await count(token_hash, items)
    if (used.calls > LIMIT.requests) spend(context, LIMIT, used)
  }
}
