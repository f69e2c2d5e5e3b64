// Tests: tests/integration/http/transactions.test.ts
/** What happened to a transaction, one sentence per event. */
import { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { moment } from '../../../domain/fields.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { heldFor, transactionStream, webhookStatus } from '../../../domain/transaction/events.ts'
import { historyOf } from '../../../domain/transaction/history.ts'
import { type ApiContext, idOf } from '../context.ts'

export const History = z.array(
  z
    .strictObject({
      at: moment,
      event: z.string(),
      text: z.string().meta({ description: 'The event in one sentence.' }),
      facts: z
        .strictObject({
          rules: z
            .array(z.int())
            .optional()
            .meta({ description: 'The rules that the transaction was sent to, or will be sent to.' }),
          held: heldFor.optional().meta({ description: 'Why Baoco did not send the transaction automatically.' }),
          copy_of: z.int().optional().meta({ description: 'The transaction that this one is a copy of.' }),
          came_back: z
            .literal(true)
            .optional()
            .meta({ description: 'Its text says that the money came back, so its order id pays nothing by itself.' }),
          prefix: z
            .string()
            .nullable()
            .optional()
            .meta({ description: "The shop's prefix by which the order id was found; null if no active shop had it." }),
          attempt: z.int().optional(),
          http_status: z.int().optional().meta({ description: '0 means no response.' }),
          error: z.string().nullable().optional(),
          by: z.enum(['manual', 'bulk']).optional(),
          why: z.enum(['retry', 'due_now', 'again', 'released', 'rule_deleted', 'gone']).optional(),
          status: webhookStatus.optional(),
        })
        .meta({
          id: 'HistoryFacts',
          description: 'The facts of the sentence. A program can phrase it in another language with them.',
        }),
    })
    .meta({ id: 'HistoryLine' }),
)

export const tellHistory = (store: Pick<EventStore, 'read'>) => async (context: ApiContext) => {
  const [events = []] = await store.read([{ stream: transactionStream(idOf(context)) }])
  const isMine = events[0]?.metadata.user_id === context.state.account.user_id
  // Only the fact of the deletion remains of a deleted transaction.
  if (!isMine || events.at(-1)?.type === 'TransactionDeleted') throw notFound('transaction')
  return historyOf(events)
}
