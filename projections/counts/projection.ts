// Tests: tests/integration/projections/counts.test.ts
/** The counts for the `total` of a list, so that a page of thirty rows does not need to count a million. */
import { countOf } from '../engine/counter.ts'
import { attemptTable } from '../attempt/projection.ts'
import { VIETNAMESE_DAY } from '../transaction/fields.ts'
import { transactionTable } from '../transaction/projection.ts'

/**
 * By the Vietnamese day of the transaction and by the columns that filter lists. A missing value is the empty string
 * here. The rows with day `infinity` hold the sums over all days: they are few, and most lists need only them.
 */
export const transactionTotal = countOf(
  transactionTable,
  'transaction_total',
  {
    user_id: ['bigint', 'user_id'],
    day: ['date', VIETNAMESE_DAY],
    bank_code: ['text', 'bank_code'],
    transaction_type: ['text', 'transaction_type'],
    source_type: ['text', 'source_type'],
    webhook_status: ['text', 'webhook_status'],
    account_number: ['text', "coalesce(account_number, '')"],
    prefix: ['text', "coalesce(prefix, '')"],
  },
  { sums: { column: 'day', all: "'infinity'" } },
)

/** The number of rows in each rule's log. */
export const attemptCount = countOf(attemptTable, 'attempt_count', {
  user_id: ['bigint', 'user_id'],
  rule_id: ['bigint', 'rule_id'],
})
