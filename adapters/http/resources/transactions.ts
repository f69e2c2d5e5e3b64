// Tests: tests/integration/http/transactions.test.ts
/** Transactions (interface, section 4.2). */
import { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { remakeRequests } from '../../../workflows/deliver/remake-request.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { historyOf } from '../../../domain/transaction/history.ts'
import { deleteTransaction, retryTransaction } from '../../../workflows/transactions/by-hand.ts'
import { attemptsOfTransaction } from '../../../projections/attempt/queries.ts'
import { openSearch } from '../../../projections/searchable/queries.ts'
import { findTransaction, listTransactions, TRANSACTIONS_A_PAGE } from '../../../projections/transaction/queries.ts'
import { openSearchProgress } from '../../../projections/searchable/progress.ts'
import { openCursors } from '../openapi/cursors.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { noBody, query } from '../openapi/input.ts'
import { data, message, whole } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { byCursor, nextCursor, page as pageOf, pageAsked } from './presenters/pages.ts'
import { DeliveredTransaction, presentDelivery, presentTransaction, Transaction } from './presenters/transaction.ts'
import { TransactionDetail, TransactionList } from './requests.ts'

const History = z.array(
  z
    .strictObject({
      at: z.iso.datetime(),
      event: z.string(),
      text: z.string().meta({ description: 'The event in one sentence.' }),
    })
    .meta({ id: 'HistoryLine' }),
)
const Transactions = pageOf(Transaction, { ...byCursor, prefixes: z.array(z.string()) })

export const transactionRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { clock, database, store } = parts
  const { get, post, remove } = operations.of('Transactions')

  const cursors = openCursors(parts.settings.jwtSecret)
  const progress = openSearchProgress(database, (a, b) => store.isAfter(a, b))
  const search = openSearch(database, progress, TRANSACTIONS_A_PAGE)

  const listAll = async (context: ApiContext, given: z.infer<typeof TransactionList>) => {
    const { page, cursor, include_raw, ...filter } = given
    const { user_id, systems } = context.state.account
    const list = `transactions ${user_id}`
    const asked = pageAsked(cursors, list, { page, cursor })
    const { rows, total } = await listTransactions(database, search, user_id, filter, asked)
    return {
      success: true as const,
      data: rows.map((row) => presentTransaction(row, include_raw === true)),
      total,
      page,
      limit: TRANSACTIONS_A_PAGE,
      next_cursor: nextCursor(cursors, list, rows, TRANSACTIONS_A_PAGE),
      prefixes: [...systems.values()].map((system) => system.payment_prefix),
    }
  }

  const showOne = async (context: ApiContext, { include_raw }: z.infer<typeof TransactionDetail>) => {
    const { user_id } = context.state.account
    const id = idOf(context)
    // Queried one after the other. In parallel, the result could show an outcome without the attempt that caused it.
    const row = await findTransaction(database, user_id, id)
    if (!row) throw notFound('transaction')
    const attempts = await attemptsOfTransaction(database, user_id, id)
    const requests = attempts.length > 0 ? await remakeRequests(parts, user_id, id) : new Map<number, never>()
    const raw = include_raw === true
    const deliveries = attempts.map((attempt) => presentDelivery(attempt, requests.get(attempt.id), raw))
    return { ...presentTransaction(row, raw), deliveries }
  }

  const tellHistory = async (context: ApiContext) => {
    const [events = []] = await store.read([{ stream: transactionStream(idOf(context)) }])
    const isMine = events[0]?.metadata.user_id === context.state.account.user_id
    // Only the fact of the deletion remains of a deleted transaction.
    if (!isMine || events.at(-1)?.type === 'TransactionDeleted') throw notFound('transaction')
    return historyOf(events)
  }

  const retryOne = async (context: ApiContext) => {
    const { account } = context.state
    const retried = await retryTransaction(parts, account, occasionOf(context, clock), idOf(context))
    await settled(parts, retried)
    return retried.isQueued
      ? 'The transaction is queued again.'
      : 'The transaction still matches no rule: nothing is sent.'
  }

  const deleteOne = async (context: ApiContext) => {
    await settled(parts, await deleteTransaction(parts, occasionOf(context, clock), idOf(context)))
    return 'The transaction and its deliveries were deleted.'
  }

  get('/api/transactions', 'List transactions', signedIn, query(TransactionList), whole(Transactions), listAll)
  get(
    '/api/transactions/:id',
    'Get a transaction',
    signedIn,
    query(TransactionDetail),
    data(DeliveredTransaction),
    showOne,
  )
  get('/api/transactions/:id/history', 'Get the history of a transaction', signedIn, data(History), tellHistory)
  post(
    '/api/transactions/:id/retry',
    'Retry the webhooks of a transaction',
    signedIn,
    noBody,
    refuses('CONFLICT'),
    message,
    retryOne,
  )
  remove('/api/transactions/:id', 'Delete a transaction and its deliveries', signedIn, noBody, message, deleteOne)
}
