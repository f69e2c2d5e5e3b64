// Tests: tests/unit/projections/read-models.test.ts
/** Transactions as lists and details show them (interface, section 2.1), newest first. */
import { insert, projection, remove, table, update } from '../engine/definition.ts'
import { whenErased } from './erased.ts'
import { KIND, transactionColumns, transactionRow, VIETNAMESE_DAY } from './fields.ts'

export const transactionTable = table('transaction', transactionColumns, {
  key: ['id'],
  indexes: [
    '(user_id, created_at DESC, id DESC)',
    '(user_id, webhook_status, created_at DESC, id DESC)',
    // Finds the newest of each kind. A user has few kinds, so a list with any of these filters is assembled from
    // them.
    `(user_id, ${KIND}, created_at DESC, id DESC)`,
    // By Vietnamese day, as in `transaction_total`. It includes the columns that filter lists, so that the wanted
    // rows of a day are found without reading the others.
    `(user_id, ${VIETNAMESE_DAY}, created_at DESC, id DESC)
        INCLUDE (transaction_date, bank_code, transaction_type, source_type, account_number, prefix)`,
    '(user_id, order_id) WHERE order_id IS NOT NULL',
  ],
})

export const transaction = projection(
  transactionTable,
  { version: 2, goesWithStreams: true },
  {
    TransactionCaptured: ({ data }) => insert(transactionTable, transactionRow(data)),
    TransactionCompleted: ({ data: { transaction_id, order_id, prefix, webhook_status }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { order_id, prefix, webhook_status, updated_at: metadata.at }),
    WebhookRetryRequested: ({ data: { transaction_id, order_id, prefix, webhook_status }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { order_id, prefix, webhook_status, updated_at: metadata.at }),
    WebhookStatusChanged: ({ data: { transaction_id, to }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { webhook_status: to, updated_at: metadata.at }),
    ...whenErased((id) => remove(transactionTable, { id })),
  },
)
