// Tests: tests/unit/projections/read-models.test.ts
/** Transactions as lists and details show them (interface, section 2.1), newest first. */
import { insert, projection, remove, table, update } from '../engine/definition.ts'

/** The Vietnamese day of a transaction's date. Lists and statistics must use exactly this expression to use the index. */
export const VIETNAMESE_DAY = "((transaction_date AT TIME ZONE 'UTC' + interval '7 hours')::date)"

/**
 * The same number for all transactions with the same bank, direction, source, account and prefix: the columns that
 * filter lists, except status and day. Lists must use exactly this expression. One number may stand for two kinds.
 */
export const KIND = `hashtext(bank_code || ' ' || transaction_type || ' ' || source_type || ' ' ||
  coalesce(account_number, '') || ' ' || coalesce(prefix, ''))`

export const transactionTable = table(
  'transaction',
  {
    id: 'bigint',
    user_id: 'bigint',
    source_type: 'text',
    source: 'text',
    bank_code: 'text',
    bank_name: 'text',
    transaction_type: 'text',
    amount: 'numeric(20,2)',
    currency: 'text',
    account_number: 'text',
    account_name: 'text',
    transaction_ref: 'text',
    transaction_date: 'timestamptz',
    counterpart_account: 'text',
    counterpart_name: 'text',
    counterpart_bank: 'text',
    description: 'text',
    content: 'text',
    order_id: 'text',
    prefix: 'text',
    webhook_status: 'text',
    already_run_of: 'bigint',
    raw_data: 'text',
    balance_after: 'numeric(20,2)',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  {
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
  },
)

export const transaction = projection(
  transactionTable,
  { version: 1 },
  {
    TransactionCaptured: ({ data }) =>
      insert(transactionTable, {
        id: data.transaction_id,
        user_id: data.user_id,
        source_type: data.source_type,
        source: data.source,
        bank_code: data.bank_code,
        bank_name: data.bank_name,
        transaction_type: data.transaction_type,
        amount: data.amount,
        currency: data.currency,
        account_number: data.account_number,
        account_name: data.account_name,
        transaction_ref: data.transaction_ref,
        transaction_date: data.transaction_date,
        counterpart_account: data.counterpart_account,
        counterpart_name: data.counterpart_name,
        counterpart_bank: data.counterpart_bank,
        description: data.description,
        content: data.content,
        order_id: data.order_id,
        prefix: data.prefix,
        webhook_status: data.webhook_status,
        already_run_of: data.already_run_of,
        raw_data: data.raw_data,
        balance_after: data.balance_after,
        created_at: data.created_at,
        updated_at: data.created_at,
      }),
    TransactionCompleted: ({ data: { transaction_id, order_id, prefix, webhook_status }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { order_id, prefix, webhook_status, updated_at: metadata.at }),
    WebhookRetryRequested: ({ data: { transaction_id, order_id, prefix, webhook_status }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { order_id, prefix, webhook_status, updated_at: metadata.at }),
    WebhookStatusChanged: ({ data: { transaction_id, to }, metadata }) =>
      update(transactionTable, { id: transaction_id }, { webhook_status: to, updated_at: metadata.at }),
    TransactionDeleted: ({ data: { transaction_id } }) => remove(transactionTable, { id: transaction_id }),
  },
)
