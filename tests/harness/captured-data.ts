/** The data of `TransactionCaptured` for tests and benchmarks. It starts from the newest golden example, so a new field needs no change here. */
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { newestVersion } from '../../domain/upcasters/index.ts'
import { goldenFile } from '../corpus/golden-events.ts'

type Captured = TransactionEventData['TransactionCaptured']

const TYPE = 'TransactionCaptured'
const EXAMPLE = goldenFile(TYPE, newestVersion(TYPE))!.examples[0] as Captured

/** A credit of 150,000 VND at Vietcombank. Everything that a notification may lack is null. */
const CREDIT: Captured = {
  ...EXAMPLE,
  bank_code: 'VCB',
  bank_name: 'Vietcombank',
  transaction_type: 'credit',
  amount: '150000.00',
  currency: 'VND',
  description: 'text',
  raw_data: '{}',
  account_number: null,
  account_name: null,
  transaction_ref: null,
  counterpart_account: null,
  counterpart_name: null,
  counterpart_bank: null,
  content: null,
  balance_after: null,
  already_run_of: null,
  order_id: null,
  prefix: null,
  rules: [],
  webhook_status: 'no_match',
}

export const capturedData = (given: Partial<Captured>): Captured => ({ ...CREDIT, ...given })
