// Tests: tests/attack/scoped-keys.test.ts
/**
 * When scoped keys were last used, in `ops.api_key_use`. Many uses are written with one statement every few seconds, so that
 * a call is not delayed. A crash loses the uses of those few seconds.
 */
import { Gather } from '../../../workflows/support/gather.ts'
import type { SharedDatabase } from '../../database/fair-shares.ts'
import { columnsOf } from '../../database/columns.ts'

/** Milliseconds for which uses are collected. */
const APART_MS = 2_000

export interface ApiKeyUses {
  note(userId: number, apiKeyId: number, at: Date): void
  /** Times of the last use (ISO 8601) by key id. Uses in this process are included at once. */
  lastUsed(userId: number): Promise<ReadonlyMap<number, string>>
  forget(userId: number, apiKeyId: number): Promise<void>
}

interface Use {
  user_id: number
  api_key_id: number
  last_used_at: string
}

/** A fixed order, so that processes that write the same keys cannot deadlock. */
const byKey = (a: Use, b: Use): number => a.user_id - b.user_id || a.api_key_id - b.api_key_id

export const openApiKeyUses = (database: SharedDatabase): ApiKeyUses => {
  let noted = new Map<number, Use>()

  const write = (uses: readonly Use[]): Promise<unknown> =>
    database.of(null).query(
      `INSERT INTO ops.api_key_use AS u (user_id, api_key_id, last_used_at)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[])
       ON CONFLICT (user_id, api_key_id) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
      columnsOf(uses, 'user_id', 'api_key_id', 'last_used_at'),
    )

  const gather = new Gather<Use[]>({
    apartMs: APART_MS,
    waitsFirst: true,
    keepsRunning: false,
    take: () => {
      if (noted.size === 0) return null
      const uses = [...noted.values()].sort(byKey)
      noted = new Map()
      return uses
    },
    // If Postgres is unavailable, these uses are lost. The next use of the key is written again.
    handle: (uses) => write(uses).catch(() => {}),
  })

  return {
    note: (user_id, api_key_id, at) => {
      noted.set(api_key_id, { user_id, api_key_id, last_used_at: at.toISOString() })
      gather.added()
    },
    lastUsed: async (userId) => {
      const text = 'SELECT user_id, api_key_id, last_used_at FROM ops.api_key_use WHERE user_id = $1'
      const rows = await database.of(userId).query<Use>(text, [userId])
      const uses = new Map(rows.map(({ api_key_id, last_used_at }) => [api_key_id, last_used_at]))
      for (const { user_id, api_key_id, last_used_at } of noted.values())
        if (user_id === userId) uses.set(api_key_id, last_used_at)
      return uses
    },
    forget: async (userId, apiKeyId) => {
      noted.delete(apiKeyId)
      const text = 'DELETE FROM ops.api_key_use WHERE user_id = $1 AND api_key_id = $2'
      await database.of(userId).query(text, [userId, apiKeyId])
    },
  }
}
