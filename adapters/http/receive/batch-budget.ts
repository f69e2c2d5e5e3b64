// Tests: tests/attack/account-limits.test.ts
/**
 * Limits how many items a token may send in batches (decision "Sizes"), and an account with all of its tokens. The request limits count a
 * batch as one request, so its items have separate budgets. A batch that does not fit is refused as a whole and uses no budget. The phone
 * keeps it and sends it again after `Retry-After`, so nothing is stored twice.
 */
import type { ShownToken } from '../../../domain/arrival/arrival.ts'
import type { ApiContext } from '../context.ts'
import { spend, type CounterFor } from '../middleware/rate-limits.ts'

/** Items per minute for each token. */
const OF_TOKEN = { requests: 600, seconds: 60 }
/** Items per minute for all tokens of an account. */
const OF_USER = { requests: 3_000, seconds: 60 }

/** @param shown  must be known to be good, because it also uses the budget of its account · @throws {Refused} RATE_LIMITED */
export type SpendItems = (context: ApiContext, shown: ShownToken, items: number) => Promise<void>

/** @param counterFor  null: no limit */
export const batchBudget = (counterFor: CounterFor | null): SpendItems => {
  if (!counterFor) return () => Promise.resolve()
  const ofToken = counterFor('batch', OF_TOKEN)
  const ofUser = counterFor('batch_user', OF_USER)
  return async (context, { token_hash, user_id }, items) => {
    const usedByToken = await ofToken(token_hash, items)
    if (usedByToken.calls > OF_TOKEN.requests) spend(context, OF_TOKEN, usedByToken)
    const usedByUser = await ofUser(String(user_id), items)
    if (usedByUser.calls <= OF_USER.requests) return
    await ofToken.undo(token_hash, items)
    spend(context, OF_USER, usedByUser)
  }
}
