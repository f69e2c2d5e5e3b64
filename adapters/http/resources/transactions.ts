// Tests: tests/integration/http/transactions.test.ts
/** Transactions (interface, section 4.2). */
import { z } from 'zod'
import { planAccountOf } from '../../../domain/plan-order/plan-order.ts'
import { notFound } from '../../../domain/account/refusals.ts'
import { remakeRequests } from '../../../workflows/deliver/remake-request.ts'
import { sourceType, webhookStatus } from '../../../domain/transaction/events.ts'
import { payByHand } from '../../../workflows/plans/pay-by-hand.ts'
import { deleteTransaction, retryTransaction } from '../../../workflows/transactions/by-hand.ts'
import { type AttemptRow, attemptsOfTransaction } from '../../../projections/attempt/queries.ts'
import { deliveryCounts, NO_DELIVERIES } from '../../../projections/delivery/queries.ts'
import { openSearch } from '../../../projections/searchable/queries.ts'
import { TRANSACTIONS_A_PAGE } from '../../../projections/transaction/filter.ts'
import { findTransaction, listTransactions } from '../../../projections/transaction/queries.ts'
import type { TransactionRow } from '../../../projections/transaction/fields.ts'
import { openSearchProgress } from '../../../projections/searchable/progress.ts'
import { openCursors } from '../openapi/cursors.ts'
import { type ApiContext, idOf, occasionOf } from '../context.ts'
import { noBody, optionalBody, query } from '../openapi/input.ts'
import { data, message, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations, refuses } from '../openapi/operations.ts'
import { settled, SETTLING_MS, type ApiParts } from '../parts.ts'
import { targetUrl } from '../openapi/secrets.ts'
import { byCursor, nextCursor, pageOf, pageAsked, sameCursor } from '../openapi/pages.ts'
import { TransactionDetail, TransactionList } from './queries.ts'
import { Retry } from './request-bodies.ts'
import { History, tellHistory } from './transaction-history.ts'
import type { Call } from '../../../domain/ports.ts'
import { count, decimal, id, moment } from '../../../domain/fields.ts'

export const transactionType = z.enum(['credit', 'debit'])

/** Included only with `include_raw=1`. */
const personal = {
  account_name: z.string().nullable(),
  counterpart_account: z.string().nullable(),
  description: z.string().meta({ description: 'Original text of the notification.' }),
  raw_data: z.string().meta({ description: 'The data that the device or mail sent, as JSON text.' }),
  balance_after: decimal.nullable(),
}

const shown = {
  id,
  user_id: id,
  source_type: sourceType,
  bank_code: z.string(),
  bank_name: z.string(),
  transaction_type: transactionType,
  amount: decimal,
  currency: z.string(),
  account_number: z.string().nullable(),
  transaction_ref: z.string().nullable().meta({ description: 'Reference number of the bank.' }),
  transaction_date: moment,
  counterpart_name: z.string().nullable(),
  counterpart_bank: z.string().nullable(),
  order_id: z.string().nullable(),
  webhook_status: webhookStatus,
  already_run_of: id.nullable().meta({ description: 'Id of the transaction that this one copies.' }),
  ...z.object(personal).partial().shape,
  created_at: moment,
  updated_at: moment,
}

const Transaction = z
  .strictObject({
    ...shown,
    deliveries: z.strictObject({ pending: count, retrying: count, success: count, failed: count }).meta({
      description:
        'The number of rules by the state of their delivery. `retrying` are the pending ones that have had an attempt. A delivery that was open when its rule was deleted is not counted.',
    }),
  })
  .meta({ id: 'Transaction' })

/** The fields of a row that pass the test. */
const only = (row: object, isShown: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => isShown(name)))

/** Without `raw` the five fields with personal data are omitted. */
const presentTransaction = (row: TransactionRow, raw: boolean): Omit<z.output<typeof Transaction>, 'deliveries'> =>
  only(row, (name) => name in shown && (raw || !(name in personal))) as Omit<TransactionRow, keyof typeof personal>

export const attempt = {
  http_status: z.int().min(0).meta({ description: '0 means no response.' }),
  response_body: z.string(),
  attempt: id.meta({ description: 'Number of the attempt for this rule, starting at 1.' }),
  sent_at: moment,
  duration_ms: z.number().min(0),
  outcome: z.enum(['delivered', 'retrying', 'exhausted']),
  error: z.string().nullable().meta({ description: 'Class of the error, such as timeout or http_404.' }),
  next_attempt_at: moment.nullable(),
}

export const presentAttempt = (row: AttemptRow) =>
  only(row, (name) => name in attempt) as Pick<AttemptRow, keyof typeof attempt>

const Request = z
  .strictObject({
    method: z.enum(['POST', 'PUT']),
    url: targetUrl(),
    headers: z.record(z.string(), z.string()),
    body: z
      .string()
      .nullable()
      .meta({ description: 'Contains personal data. Only with `include_raw=1`, otherwise null.' }),
  })
  .nullable()
  .meta({
    id: 'DeliveryRequest',
    description: 'Rebuilt from the events, byte for byte; null if that is not possible.',
  })

export const Delivery = z
  .strictObject({ id, webhook_rule_id: id, webhook_url: targetUrl(), ...attempt, request: Request })
  .meta({ id: 'Delivery' })

/** @param raw  whether to include the body, which contains the notification's text */
const presentDelivery = (row: AttemptRow, request: Call | undefined, raw: boolean): z.output<typeof Delivery> => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  webhook_url: row.webhook_url,
  ...presentAttempt(row),
  request: request ? { ...request, body: raw ? request.body : null } : null,
})

const DeliveredTransaction = z
  .strictObject({ ...shown, deliveries: z.array(Delivery) })
  .meta({ id: 'DeliveredTransaction' })

const Transactions = pageOf(Transaction, {
  ...byCursor,
  same_cursor: z.string().nullable().meta({
    description:
      'Cursor of a page that begins with the same row, even if newer transactions arrive; null on an empty page.',
  }),
  prefixes: z.array(z.string()),
})

const RETRIED = {
  queued: 'The transaction is queued again.',
  no_match: 'The transaction still matches no rule: nothing is sent.',
  success: 'Nothing is sent: all rules that the transaction matches have succeeded.',
}

/** @returns the handler of the list, which may search */
const listIn = ({ database, store, settings }: ApiParts) => {
  const cursors = openCursors(settings.jwtSecret)
  return async (context: ApiContext, given: z.infer<typeof TransactionList>) => {
    const { page, cursor, include_raw, ...filter } = given
    const { user_id, systems } = context.state.account
    const list = `transactions ${user_id}`
    const asked = pageAsked(cursors, list, { page, cursor })
    const reads = database.of(user_id)
    const search = openSearch(
      reads,
      openSearchProgress(reads, (a, b) => store.isAfter(a, b)),
    )
    const { rows, total } = await listTransactions(reads, search, user_id, filter, asked)
    const deliveries = await deliveryCounts(
      reads,
      rows.map(({ id }) => id),
    )
    return {
      success: true as const,
      data: rows.map((row) => ({
        ...presentTransaction(row, include_raw === true),
        deliveries: deliveries.get(row.id) ?? NO_DELIVERIES,
      })),
      total,
      page,
      limit: TRANSACTIONS_A_PAGE,
      next_cursor: nextCursor(cursors, list, rows, TRANSACTIONS_A_PAGE),
      same_cursor: sameCursor(cursors, list, rows),
      prefixes: [...systems.values()].map((system) => system.payment_prefix),
    }
  }
}

export const transactionRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, store } = parts
  const plans = planAccountOf(parts.settings)
  const { get, post, remove } = operations.of('Transactions', signedIn)

  const showOne = async (context: ApiContext, { include_raw }: z.infer<typeof TransactionDetail>) => {
    const { user_id } = context.state.account
    const reads = database.of(user_id)
    const id = idOf(context)
    // Queried one after the other. In parallel, the result could show an outcome without the attempt that caused it.
    let row = await findTransaction(reads, user_id, id)
    if (!row) {
      // A shop may ask for it while it is called.
      await parts.readModels.shown(SETTLING_MS)
      row = await findTransaction(reads, user_id, id)
    }
    if (!row) throw notFound('transaction')
    const attempts = await attemptsOfTransaction(reads, user_id, id)
    const requests = attempts.length > 0 ? await remakeRequests(parts, user_id, id) : new Map<number, never>()
    const raw = include_raw === true
    const deliveries = attempts.map((attempt) => presentDelivery(attempt, requests.get(attempt.id), raw))
    return { ...presentTransaction(row, raw), deliveries }
  }

  const retryOne = async (context: ApiContext, { again = false }: z.infer<typeof Retry> = {}) => {
    const { account } = context.state
    const paid = await payByHand({ store, plans }, account, occasionOf(context, clock), idOf(context))
    if (paid) {
      await settled(parts, paid)
      return 'The transaction pays for the plan order in its memo.'
    }
    const retried = await settled(
      parts,
      retryTransaction(store, account, occasionOf(context, clock), idOf(context), again),
    )
    if (retried.checkpoint === null)
      return 'Nothing was changed: the transaction is already being sent, or it is over the monthly quota and is sent later.'
    return RETRIED[retried.result]
  }

  const deleteOne = async (context: ApiContext) => {
    await settled(parts, deleteTransaction(store, occasionOf(context, clock), idOf(context)))
    return 'The transaction and its deliveries were deleted.'
  }

  get('/api/transactions', 'List transactions', query(TransactionList), whole(Transactions), listIn(parts))
  get('/api/transactions/:id', 'Get a transaction', query(TransactionDetail), data(DeliveredTransaction), showOne)
  get('/api/transactions/:id/history', 'Get the history of a transaction', data(History), tellHistory(store))
  post(
    '/api/transactions/:id/retry',
    'Retry the webhooks of a transaction',
    optionalBody(Retry),
    refuses('CONFLICT'),
    message,
    retryOne,
  )
  remove('/api/transactions/:id', 'Delete a transaction and its deliveries', noBody, message, deleteOne)
}
