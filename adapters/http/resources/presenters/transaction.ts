// Tests: tests/integration/http/transactions.test.ts
/** Presents transactions, their deliveries and a rule's log (interface, sections 2.1 and 2.2). */
import { z } from 'zod'
import { sourceType, webhookStatus } from '../../../../domain/transaction/events.ts'
import type { Call } from '../../../../domain/ports.ts'
import type { AttemptRow, LogRow } from '../../../../projections/attempt/queries.ts'
import type { TransactionRow } from '../../../../projections/transaction/queries.ts'

const id = z.int().positive()
const moment = z.iso.datetime()
const decimal = z.string().regex(/^-?\d+\.\d{2}$/)
const transactionType = z.enum(['credit', 'debit'])

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

export const Transaction = z.strictObject(shown).meta({ id: 'Transaction' })

/** Without `raw` the five fields with personal data are omitted. */
export const presentTransaction = (row: TransactionRow, raw: boolean): z.output<typeof Transaction> => ({
  id: row.id,
  user_id: row.user_id,
  source_type: row.source_type,
  bank_code: row.bank_code,
  bank_name: row.bank_name,
  transaction_type: row.transaction_type,
  amount: row.amount,
  currency: row.currency,
  account_number: row.account_number,
  ...(raw ? { account_name: row.account_name } : {}),
  transaction_ref: row.transaction_ref,
  transaction_date: row.transaction_date,
  ...(raw ? { counterpart_account: row.counterpart_account } : {}),
  counterpart_name: row.counterpart_name,
  counterpart_bank: row.counterpart_bank,
  ...(raw ? { description: row.description } : {}),
  order_id: row.order_id,
  webhook_status: row.webhook_status,
  already_run_of: row.already_run_of,
  ...(raw ? { raw_data: row.raw_data, balance_after: row.balance_after } : {}),
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const attempt = {
  http_status: z.int().min(0).meta({ description: '0 means no response.' }),
  response_body: z.string(),
  attempt: id.meta({ description: 'Counts from 1 for each rule.' }),
  sent_at: moment,
  duration_ms: z.number().min(0),
  outcome: z.enum(['delivered', 'retrying', 'exhausted']),
  error: z.string().nullable().meta({ description: 'Class of the error, such as timeout or http_404.' }),
  next_attempt_at: moment.nullable(),
}

const presentAttempt = (row: AttemptRow) => ({
  http_status: row.http_status,
  response_body: row.response_body,
  attempt: row.attempt,
  sent_at: row.sent_at,
  duration_ms: row.duration_ms,
  outcome: row.outcome,
  error: row.error,
  next_attempt_at: row.next_attempt_at,
})

const Request = z
  .strictObject({
    method: z.enum(['POST', 'PUT']),
    url: z.string(),
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
  .strictObject({ id, webhook_rule_id: id, webhook_url: z.string(), ...attempt, request: Request })
  .meta({ id: 'Delivery' })

/** @param raw  whether to include the body, which contains the notification's text */
export const presentDelivery = (
  row: AttemptRow,
  request: Call | undefined,
  raw: boolean,
): z.output<typeof Delivery> => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  webhook_url: row.webhook_url,
  ...presentAttempt(row),
  request: request ? { ...request, body: raw ? request.body : null } : null,
})

export const DeliveredTransaction = z
  .strictObject({ ...shown, deliveries: z.array(Delivery) })
  .meta({ id: 'DeliveredTransaction' })

export const Log = z
  .strictObject({
    id,
    webhook_rule_id: id,
    transaction_id: id,
    bank_code: z.string(),
    amount: decimal,
    transaction_type: transactionType,
    ...attempt,
    created_at: moment,
  })
  .meta({ id: 'Log' })

export const presentLog = (row: LogRow): z.output<typeof Log> => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  transaction_id: row.transaction_id,
  bank_code: row.bank_code,
  amount: row.amount,
  transaction_type: row.transaction_type,
  ...presentAttempt(row),
  created_at: row.created_at,
})
