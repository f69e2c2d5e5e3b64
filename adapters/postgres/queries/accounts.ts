/** The operator's list of accounts. */
import type { Queryable } from '../database.ts'

export interface AccountRow {
  user_id: number
  email: string
  plan: string
  plan_expires_at: string | null
  locked: boolean
  operator: boolean
}

/** By id. */
export const listAccounts = (database: Queryable): Promise<AccountRow[]> =>
  database.query<AccountRow>(
    'SELECT user_id, email, plan, plan_expires_at, locked, operator FROM read_model.account ORDER BY user_id',
  )

/** Transactions of a user since a moment that count in the quota: copies of another notification do not. */
export const transactionsSince = async (database: Queryable, userId: number, since: Date): Promise<number> => {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*) AS count FROM read_model.transaction
     WHERE user_id = $1 AND created_at >= $2 AND webhook_status <> 'already_run'`,
    [userId, since.toISOString()],
    'transactions-since',
  )
  return row!.count
}
