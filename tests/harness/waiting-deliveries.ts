/** Fills the tables of the delivery queue as the projector would: rules, and deliveries that wait or are due. */
import type { Queryable } from '../../adapters/database/database.ts'

const RULES_PER_ACCOUNT = 20

/** Rules by turns free, ordered and limited, of accounts with twenty each. Their ids count from 1. */
export const fillRules = async (database: Queryable, rules: number): Promise<void> => {
  const accounts = Math.ceil(rules / RULES_PER_ACCOUNT)
  await database.query(`INSERT INTO read_model.account (user_id, email, locked)
    SELECT n, 'u' || n || '@shop.vn', false FROM generate_series(1, ${accounts}) n`)
  await database.query(`INSERT INTO read_model.rule
      (rule_id, user_id, url, endpoint, http_method, payload_format, is_active, ordered, max_per_minute)
    SELECT n, 1 + n % ${accounts}, 'https://s' || n || '.vn/', 'https://s' || n || '.vn:443', 'POST', 'standard', 1,
      CASE WHEN n % 3 = 1 THEN 1 ELSE 0 END, CASE WHEN n % 3 = 2 THEN 6 END
    FROM generate_series(1, ${rules}) n`)
}

/** Whether a rule that was made by `fillRules` is neither ordered nor limited. */
export const isFree = (rule: number): boolean => rule % 3 === 0

export interface Filled {
  /** Id of the first transaction. */
  from: number
  count: number
  /** SQL for the rule of transaction `n`, and for its due time. */
  rule: string
  due: string
}

/** Retries, each with its transaction. */
export const fillRetries = async (database: Queryable, { from, count, rule, due }: Filled): Promise<void> => {
  const numbers = `generate_series(${from}, ${from + count - 1}) n`
  await database.query(`INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount,
      currency, description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
    SELECT n, 1, 'VCB', 'Vietcombank', 'credit', 150000, 'VND', 'text', 'api', 'url', 'pending', '{}', now(), now(), now()
    FROM ${numbers}`)
  await database.query(`INSERT INTO read_model.delivery
      (transaction_id, rule_id, user_id, status, attempt, round_base, lane, due_at, first_due_at, captured_at)
    SELECT n, ${rule}, 1, 'open', 1, 0, 'retry', ${due}, now(), now() FROM ${numbers}`)
}
