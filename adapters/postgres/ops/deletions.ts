// Tests: tests/attack/account-deletion-cost.test.ts
/** Deletions of accounts that have begun and not ended: the table `ops.deletion`. */
import type { DeletionNotes } from '../../../workflows/accounts/unfinished-deletions.ts'
import type { Queryable } from '../../database/database.ts'

export interface Deletions extends DeletionNotes {
  begin(userId: number): Promise<void>
}

export const openDeletions = (database: Queryable): Deletions => ({
  begin: async (userId) =>
    void (await database.query('INSERT INTO ops.deletion (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [userId])),
  all: () => database.query('SELECT user_id, begun_at FROM ops.deletion ORDER BY begun_at'),
  end: async (userId) => void (await database.query('DELETE FROM ops.deletion WHERE user_id = $1', [userId])),
})
