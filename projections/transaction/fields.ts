// Tests: tests/unit/projections/read-models.test.ts
/**
 * The fields of a transaction, once. The table, the projection and the queries take them from here. To add a field: add it to the event
 * (`domain/transaction/events.ts`) with an upcaster (`domain/upcasters`), to what capture writes (`domain/transaction/capture.ts`), here, and
 * to the API (`adapters/http/resources/transactions.ts`). `npm run golden-events`, `generations`, `fold-version` and `docs` generate the rest.
 */
import { sourceTypeOf } from '../../domain/arrival/source-type.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import type { ColumnType } from '../engine/definition.ts'

type Captured = TransactionEventData['TransactionCaptured']

/** Fields that the table stores as `TransactionCaptured` gives them, under the same names. */
const CAPTURED = {
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
} as const satisfies Partial<Record<keyof Captured, ColumnType>>

type CapturedField = keyof typeof CAPTURED

/** Fields that only matching and filters use. Lists do not show them. */
type HiddenField = 'source' | 'content' | 'prefix'
const HIDDEN: ReadonlySet<string> = new Set<HiddenField>(['source', 'content', 'prefix'])

/** The table's columns, in their order. */
export const transactionColumns = { id: 'bigint', ...CAPTURED, updated_at: 'timestamptz' } as const

/** The row of a new transaction. It may contain more fields than the table has. */
export const transactionRow = (data: Captured) => ({
  ...data,
  id: data.transaction_id,
  source_type: sourceTypeOf(data),
  updated_at: data.created_at,
})

/** The fields of a transaction that lists and details read. */
export type TransactionRow = { id: number } & Pick<Captured, Exclude<CapturedField, HiddenField>> & {
    updated_at: string
  }

/** The columns of a `TransactionRow`, for a SELECT. */
export const SHOWN_COLUMNS = Object.keys(transactionColumns)
  .filter((name) => !HIDDEN.has(name))
  .join(', ')

/** SQL for the Vietnamese day of a moment. */
export const vietnameseDay = (moment: string): string => `((${moment} AT TIME ZONE 'UTC' + interval '7 hours')::date)`

/** The Vietnamese day of a transaction's date. Indexes, counts and queries must use exactly this expression. */
export const VIETNAMESE_DAY = vietnameseDay('transaction_date')

/**
 * The same number for all transactions, or counts, with the same bank, direction, source, account and prefix: the columns that filter
 * lists, except status and day. Indexes and queries must use exactly this expression. One number may stand for two kinds.
 */
export const KIND = `hashtext(bank_code || ' ' || transaction_type || ' ' || source_type || ' ' ||
  coalesce(account_number, '') || ' ' || coalesce(prefix, ''))`
