/** Events of a transaction, for tests of how the API shows them. */
import { capturedData } from '../../harness/captured-data.ts'
import type { TransactionEvent, TransactionEventData } from '../../../domain/transaction/events.ts'

type Captured = TransactionEventData['TransactionCaptured']

export const captured = (user_id: number, transaction_id: number, given: Partial<Captured> = {}): TransactionEvent => ({
  type: 'TransactionCaptured',
  data: capturedData({
    transaction_id,
    user_id,
    source: 'url:Vietcombank',
    account_number: '0011000415567',
    account_name: 'NGUYEN VAN A',
    transaction_ref: `MBVCB.${transaction_id}`,
    transaction_date: '2026-03-10T05:00:00.000Z',
    transaction_date_source: 'printed',
    counterpart_account: '19001',
    counterpart_name: 'TRAN B',
    description: 'SD TK 0011000415567 +150,000VND',
    content: 'chuyen tien DH1042',
    raw_data: '{"text":"x"}',
    balance_after: '1250000.00',
    order_id: 'DH1042',
    prefix: 'DH',
    webhook_status: 'no_match',
    created_at: new Date().toISOString(),
    ...given,
  }),
})

export const attempted = (
  transaction_id: number,
  given: Partial<TransactionEventData['WebhookAttempted']> & { attempt_id: number; rule_id: number },
): TransactionEvent => ({
  type: 'WebhookAttempted',
  data: {
    transaction_id,
    attempt: 1,
    method: 'POST',
    url: 'https://shop.example/hook',
    account_revision: 5,
    timestamp: 1_780_000_000,
    body_sha256: 'ab',
    renderer: 1,
    http_status: 500,
    response_body: 'not now',
    error: 'http_500',
    sent_at: '2026-03-10T05:00:01.000Z',
    duration_ms: 12.4,
    outcome: 'exhausted',
    next_attempt_at: null,
    ...given,
  },
})

export const statusChanged = (
  transaction_id: number,
  from: TransactionEventData['WebhookStatusChanged']['from'],
  to: TransactionEventData['WebhookStatusChanged']['to'],
): TransactionEvent => ({ type: 'WebhookStatusChanged', data: { transaction_id, from, to } })
