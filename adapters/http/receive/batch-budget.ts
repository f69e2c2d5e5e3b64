// Tests: tests/attack/account-limits.test.ts
/**
 * Limits how many items a token may send in batches (decision "Sizes"), and how much an account with all of its tokens. The request limits
 * count a batch as one request, so its items have separate budgets. In that of the account, an item counts once for each 4 KB, because many
 * long items would fill the disk. So does a notification of its own, if it is longer than 4 KB. What does not fit is refused as a whole and
 * uses no budget. The phone keeps it and sends it again after `Retry-After`, so nothing is stored twice.
 */
import { RAW_BYTES } from '../../../domain/arrival/sizes.ts'
import type { Arrival, ShownToken } from '../../../domain/arrival/arrival.ts'
import type { ApiContext } from '../context.ts'
import { spend, type CounterFor } from '../middleware/rate-limits.ts'

/** Items per minute for each token. */
const OF_TOKEN = { requests: 600, seconds: 60 }
/** Items per minute for all tokens of an account; a longer item counts as one for each `ITEM_BYTES`. */
const OF_USER = { requests: 3_000, seconds: 60 }
/** An ordinary SMS or push notification is shorter. */
const ITEM_BYTES = 4 * 1024

/** How many items an arrival counts as, by the bytes that are stored of its body. */
const weightOf = ({ raw }: Arrival): number =>
  raw.length * 3 <= ITEM_BYTES ? 1 : Math.ceil(Math.min(Buffer.byteLength(raw), RAW_BYTES) / ITEM_BYTES)

export interface BatchBudget {
  /** @param shown  must be known to be good, because it also uses the budget of its account · @throws {Refused} RATE_LIMITED */
  spendBatch(context: ApiContext, shown: ShownToken, items: readonly Arrival[]): Promise<void>
  /** For a notification that is not in a batch. Returns nothing to wait for if it is short. @throws as `spendBatch` */
  spendSingle(context: ApiContext, shown: ShownToken, arrival: Arrival): Promise<void> | undefined
}

/** @param counterFor  null: no limit */
export const batchBudget = (counterFor: CounterFor | null): BatchBudget => {
  if (!counterFor) return { spendBatch: () => Promise.resolve(), spendSingle: () => undefined }
  const ofToken = counterFor('batch', OF_TOKEN)
  const ofUser = counterFor('batch_user', OF_USER)

  const spendOfUser = async (context: ApiContext, { user_id }: ShownToken, weight: number): Promise<void> => {
    // The largest batch fits into a new window. Otherwise the phone would send it forever.
    const used = await ofUser(String(user_id), Math.min(weight, OF_USER.requests))
    if (used.calls > OF_USER.requests) spend(context, OF_USER, used)
  }

  return {
    spendBatch: async (context, shown, items) => {
      const used = await ofToken(shown.token_hash, items.length)
      if (used.calls > OF_TOKEN.requests) spend(context, OF_TOKEN, used)
      const weight = items.reduce((sum, item) => sum + weightOf(item), 0)
      await spendOfUser(context, shown, weight).catch(async (refused: unknown) => {
        await ofToken.undo(shown.token_hash, items.length)
        throw refused
      })
    },
    spendSingle: (context, shown, arrival) => {
      const weight = weightOf(arrival)
      return weight > 1 ? spendOfUser(context, shown, weight) : undefined
    },
  }
}
