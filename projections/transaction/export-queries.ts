// Tests: tests/attack/csv.test.ts
/** All transactions of a user, page by page. */
import type { Queryable } from '../engine/queryable.ts'

/** Columns with the names of section 2.1 of the interface. */
export const EXPORTED = [
  'id', 'user_id', 'source_type', 'bank_code', 'bank_name', 'transaction_type', 'amount', 'currency', 'account_number',
  'account_name', 'transaction_ref', 'transaction_date', 'counterpart_account', 'counterpart_name', 'counterpart_bank',
  'description', 'order_id', 'webhook_status', 'already_run_of', 'raw_data', 'balance_after', 'created_at', 'updated_at',
] as const // prettier-ignore

export type ExportedTransaction = Record<(typeof EXPORTED)[number], string | number | null>

const PAGE = 1_000

/** Oldest first. */
export async function* exportedTransactions(
  database: Queryable,
  userId: number,
): AsyncGenerator<ExportedTransaction[], void, undefined> {
  for (let after = 0; ;) {
    const page = await database.query<ExportedTransaction>(
      `SELECT ${EXPORTED.join(', ')} FROM read_model.transaction WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}`,
      [userId, after],
    )
    const last = page.at(-1)
    if (!last) return
    yield page
    after = Number(last.id)
  }
}
