/** Transactions (interface, section 4.2). */
import type Router from '@koa/router'
import type { z } from 'zod'
import { notFound } from '../../../domain/account/refusals.ts'
import { deleteTransaction, retryTransaction } from '../../../workflows/transactions/by-hand.ts'
import { attemptsOfTransaction } from '../../postgres/queries/attempts.ts'
import { findTransaction, listTransactions, TRANSACTIONS_A_PAGE } from '../../postgres/queries/transactions.ts'
import { answer, answerMessage, idOf, occasionOf, type ApiMiddleware, type ApiState, type Handler } from '../context.ts'
import { noBody, query } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { presentDelivery, presentTransaction } from '../presenters/transaction.ts'
import { TransactionDetail, TransactionList } from '../requests.ts'

export const transactionRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const { clock, database } = parts

  const listAll: Handler<z.infer<typeof TransactionList>> = async (context, { page, include_raw, ...filter }) => {
    const { user_id, systems } = context.state.account
    const { rows, total } = await listTransactions(database, user_id, filter, page)
    context.body = {
      success: true,
      data: rows.map((row) => presentTransaction(row, include_raw === true)),
      total,
      page,
      limit: TRANSACTIONS_A_PAGE,
      prefixes: [...systems.values()].map((system) => system.payment_prefix),
    }
  }

  const showOne: Handler<z.infer<typeof TransactionDetail>> = async (context, { include_raw }) => {
    const { user_id } = context.state.account
    const id = idOf(context)
    const [row, attempts] = await Promise.all([
      findTransaction(database, user_id, id),
      attemptsOfTransaction(database, user_id, id),
    ])
    if (!row) throw notFound('transaction')
    answer(context, { ...presentTransaction(row, include_raw === true), deliveries: attempts.map(presentDelivery) })
  }

  const retryOne: Handler<undefined> = async (context) => {
    const { account } = context.state
    await settled(parts, await retryTransaction(parts, account, occasionOf(context, clock), idOf(context)))
    answerMessage(context, 'The transaction is queued again.')
  }

  const deleteOne: Handler<undefined> = async (context) => {
    await settled(parts, await deleteTransaction(parts, occasionOf(context, clock), idOf(context)))
    answerMessage(context, 'The transaction and its deliveries were deleted.')
  }

  router.get('/api/transactions', signedIn, query(TransactionList, listAll))
  router.get('/api/transactions/:id', signedIn, query(TransactionDetail, showOne))
  router.post('/api/transactions/:id/retry', signedIn, noBody(retryOne))
  router.delete('/api/transactions/:id', signedIn, noBody(deleteOne))
}
