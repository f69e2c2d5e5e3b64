// Tests: tests/integration/projections/quota.test.ts
/** The operator's list of accounts, and a user's usage of the quota. */
import type { Queryable } from '../engine/queryable.ts'

export interface AccountRow {
  user_id: number
  email: string
  plan: string
  plan_expires_at: string | null
  locked: boolean
  operator: boolean
}

/** Sorted by id. */
export const listAccounts = (database: Queryable): Promise<AccountRow[]> =>
  database.query<AccountRow>(
    'SELECT user_id, email, plan, plan_expires_at, locked, operator FROM read_model.account ORDER BY user_id',
  )

/**
 * A user's transactions in a Vietnamese month (`2026-11`) that count in the quota. Copies of another notification do
 * not count.
 */
export const transactionsInMonth = async (database: Queryable, userId: number, month: string): Promise<number> => {
  const [row] = await database.query<{ transactions: number }>(
    'SELECT transactions FROM read_model.quota WHERE user_id = $1 AND month = $2',
    [userId, month],
    'transactions-in-month',
  )
  return row?.transactions ?? 0
}

/** The revision of the account's newest event that the read models contain; null if they have no such account. */
export const projectedRevision = async (database: Queryable, userId: number): Promise<number | null> => {
  const [row] = await database.query<{ revision: number }>(
    'SELECT revision FROM read_model.account WHERE user_id = $1',
    [userId],
    'projected-revision',
  )
  return row?.revision ?? null
}
