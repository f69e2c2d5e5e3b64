// Tests: tests/integration/http/transactions.test.ts
/** Every webhook call: the deliveries in a transaction's details, and the log of a rule (interface, section 2.2). */
import { whenErased } from '../transaction/erased.ts'
import { insert, perform, projection, removeOfTransaction, table } from '../engine/definition.ts'

export const attemptTable = table(
  'attempt',
  {
    id: 'bigint',
    transaction_id: 'bigint',
    rule_id: 'bigint',
    user_id: 'bigint',
    attempt: 'integer',
    webhook_url: 'text',
    http_status: 'integer',
    response_body: 'text',
    error: 'text',
    outcome: 'text',
    sent_at: 'timestamptz',
    duration_ms: 'integer',
    next_attempt_at: 'timestamptz',
    created_at: 'timestamptz',
  },
  { key: ['id'], indexes: ['(transaction_id, id)', '(rule_id, created_at DESC, id DESC)'] },
)

const removeAttempts = removeOfTransaction(attemptTable)

export const attempt = projection(
  attemptTable,
  { version: 1, operations: [removeAttempts], goesWithStreams: true },
  {
    WebhookAttempted: ({ data, metadata }) =>
      insert(attemptTable, {
        id: data.attempt_id,
        transaction_id: data.transaction_id,
        rule_id: data.rule_id,
        user_id: metadata.user_id,
        attempt: data.attempt,
        webhook_url: data.url,
        http_status: data.http_status,
        response_body: data.response_body,
        error: data.error,
        outcome: data.outcome,
        sent_at: data.sent_at,
        duration_ms: Math.round(data.duration_ms),
        next_attempt_at: data.next_attempt_at,
        created_at: metadata.at,
      }),
    ...whenErased((transaction_id) => perform(removeAttempts, [{ transaction_id }])),
  },
)
