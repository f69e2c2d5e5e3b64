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

export const ACCOUNTS_A_PAGE = 100
const AT_ONCE = 1_000

const accountsAfter = (database: Queryable, after: number, limit: number, skip = 0): Promise<AccountRow[]> =>
  database.query<AccountRow>(
    `SELECT user_id, email, plan, plan_expires_at, locked, operator FROM read_model.account WHERE user_id > $1
      ORDER BY user_id LIMIT $2 OFFSET $3`,
    [after, limit, skip],
  )

/** A page of the accounts, sorted by id. @param asked  the number of the page, or the id of the account before it */
export const listAccounts = async (
  database: Queryable,
  asked: { page: number } | { after: number },
): Promise<{ rows: AccountRow[]; total: number }> => {
  const [after, skip] = 'after' in asked ? [asked.after, 0] : [0, (asked.page - 1) * ACCOUNTS_A_PAGE]
  const [rows, [counted]] = await Promise.all([
    accountsAfter(database, after, ACCOUNTS_A_PAGE, skip),
    database.query<{ total: number }>('SELECT count(*) AS total FROM read_model.account'),
  ])
  return { rows, total: counted!.total }
}

/** All accounts, sorted by id, some at a time. */
export async function* eachAccount(database: Queryable): AsyncGenerator<AccountRow> {
  for (let after = 0; ;) {
    const rows = await accountsAfter(database, after, AT_ONCE)
    yield* rows
    if (rows.length < AT_ONCE) return
    after = rows.at(-1)!.user_id
  }
}

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
