/** Ten thousand transactions that failed, as the projector writes them. Their streams are empty, so a retry of them queues nothing. */
import type { Database } from '../../../adapters/database/database.ts'

export const MANY = 10_000
const FIRST_ID = 50_000_000

/** @param rules  two rules: the transactions fail at each in turn, at the first by a timeout, at the second with 503 */
export const failMany = async (database: Database, userId: number, rules: readonly [number, number]): Promise<void> => {
  await database.query(
    `INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency, description,
       source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
     SELECT ${FIRST_ID} + n, $1, 'VCB', 'Vietcombank', 'credit', 150000, 'VND', 'text', 'api', 'url', 'failed', '{}', at, at, at
     FROM generate_series(1, ${MANY}) n, LATERAL (SELECT now() - interval '3 days' + n * interval '10 seconds' AS at) a`,
    [userId],
  )
  await database.query(
    `INSERT INTO read_model.delivery (transaction_id, rule_id, user_id, status, attempt, round_base, captured_at)
     SELECT ${FIRST_ID} + n, ($2::bigint[])[1 + n % 2], $1, 'failed', 7, 0, now() FROM generate_series(1, ${MANY}) n`,
    [userId, rules],
  )
  await database.query(
    `INSERT INTO read_model.attempt (id, transaction_id, rule_id, user_id, attempt, webhook_url, http_status, response_body,
       outcome, error, sent_at, duration_ms, created_at)
     SELECT ${2 * FIRST_ID} + n, ${FIRST_ID} + n, ($2::bigint[])[1 + n % 2], $1, 7, 'https://x.example/', 0, '', 'exhausted',
       (ARRAY['timeout', 'http_503'])[1 + n % 2], now(), 10, now() FROM generate_series(1, ${MANY}) n`,
    [userId, rules],
  )
  await database.query('ANALYZE read_model.transaction, read_model.delivery, read_model.attempt')
}
