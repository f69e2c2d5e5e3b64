/** The counts behind the `total` of a list, so that a page of thirty rows does not count a million. */
import { countOf } from '../engine/counter.ts'
import { attemptTable } from '../attempt/projection.ts'
import { transactionTable, VIETNAMESE_DAY } from '../transaction/projection.ts'

/**
 * By Vietnamese day of the transaction, and by what lists are filtered by. What is not told is empty here. On the day
 * `infinity` stands what there is over all days: a few rows, which most lists make do with.
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

/** Of each rule's log. */
export const attemptCount = countOf(attemptTable, 'attempt_count', {
  user_id: ['bigint', 'user_id'],
  rule_id: ['bigint', 'rule_id'],
})
