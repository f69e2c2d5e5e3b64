// Tests: tests/integration/http/transactions.test.ts
/** Reads of webhook attempts: of one transaction, and of one rule (its log). */
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import type { Queryable } from '../engine/queryable.ts'
import { pageSql, type PageOf } from '../engine/page-sql.ts'

export interface AttemptRow {
  id: number
  transaction_id: number
  rule_id: number
  webhook_url: string
  http_status: number
  response_body: string
  attempt: number
  sent_at: string
  duration_ms: number
  outcome: TransactionEventData['WebhookAttempted']['outcome']
  error: string | null
  next_attempt_at: string | null
  created_at: string
}

export type LogRow = AttemptRow & { bank_code: string; amount: string; transaction_type: 'credit' | 'debit' }

/** Interface, section 8. */
export const LOGS_A_PAGE = 20

const COLUMNS = `a.id, a.transaction_id, a.rule_id, a.webhook_url, a.http_status, a.response_body, a.attempt, a.sent_at,
  a.duration_ms, a.outcome, a.error, a.next_attempt_at, a.created_at`

/** In the order in which they were made. */
export const attemptsOfTransaction = (
  database: Queryable,
  userId: number,
  transactionId: number,
): Promise<AttemptRow[]> =>
  database.query<AttemptRow>(
    `SELECT ${COLUMNS} FROM read_model.attempt a WHERE a.transaction_id = $2 AND a.user_id = $1 ORDER BY a.id`,
    [userId, transactionId],
    'attempts-of-transaction',
  )

/** Newest first. `total` is the number of rows over all pages. */
export const logsOfRule = async (
  database: Queryable,
  userId: number,
  ruleId: number,
  of: PageOf,
): Promise<{ rows: LogRow[]; total: number }> => {
  const { sql, more, name } = pageSql(of, 2, LOGS_A_PAGE, { at: 'a.created_at', id: 'a.id' })
  const [rows, counts] = await Promise.all([
    database.query<LogRow>(
      `SELECT ${COLUMNS}, t.bank_code, t.amount, t.transaction_type
       FROM read_model.attempt a JOIN read_model.transaction t ON t.id = a.transaction_id
       WHERE a.rule_id = $2 AND a.user_id = $1 ${sql}`,
      [userId, ruleId, ...more],
      `logs-of-rule:${name}`,
    ),
    database.query<{ total: number }>(
      `SELECT coalesce(sum(number), 0) AS total FROM read_model.attempt_count WHERE rule_id = $2 AND user_id = $1`,
      [userId, ruleId],
      'logs-of-rule-total',
    ),
  ])
  return { rows, total: counts[0]!.total }
}
