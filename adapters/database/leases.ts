// Tests: tests/integration/adapters/lease.test.ts
/** Many leases at once (see `lease.ts`). One statement renews hundreds of mailboxes and takes the free ones among them. */
import { randomUUID } from 'node:crypto'
import type { Leases } from '../../workflows/mail-ingest/collect.ts'
import type { Queryable } from './database.ts'
import { isOver } from './lease.ts'

const LASTS_MS = 10_000
const TRUSTED_SHARE = 0.8

/** Ordered by name, so that two processes that want the same leases cannot deadlock. */
const KEEP = `
INSERT INTO ops.lease AS l (name, holder, expires_at)
  SELECT name, $2, now() + make_interval(secs => $3) FROM unnest($1::text[]) AS wanted (name) ORDER BY name
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE l.holder = excluded.holder OR ${isOver('$3')}
RETURNING name`

const RELEASE = 'DELETE FROM ops.lease WHERE name = ANY($1::text[]) AND holder = $2'

export const openLeases = (database: Queryable): Leases => {
  const holder = randomUUID()
  return {
    trustedMs: LASTS_MS * TRUSTED_SHARE,
    keep: async (names) => {
      if (names.length === 0) return new Set()
      const rows = await database.query<{ name: string }>(KEEP, [names, holder, LASTS_MS / 1_000], 'leases-keep')
      return new Set(rows.map(({ name }) => name))
    },
    release: async (names) => {
      await database.query(RELEASE, [names, holder])
    },
  }
}
