// Tests: tests/unit/projections/read-models.test.ts
/**
 * A transaction ends by `TransactionDeleted`. One that cannot be read ends with its account by `StreamErased`, because nothing can be decided
 * about it.
 */
import { transactionIn } from '../../domain/transaction/events.ts'
import type { Handlers, Statement } from '../engine/definition.ts'

/** The handlers of a table that has rows of a transaction. */
export const whenErased = (
  remove: (transactionId: number, userId: number) => Statement,
): Pick<Handlers, 'TransactionDeleted' | 'StreamErased'> => ({
  TransactionDeleted: ({ data: { transaction_id, user_id } }) => remove(transaction_id, user_id),
  StreamErased: ({ stream, data: { user_id } }) => {
    const id = transactionIn(stream)
    return id === null ? [] : remove(id, user_id)
  },
})
