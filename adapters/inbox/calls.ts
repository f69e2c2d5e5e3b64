/**
 * What inboxes were sent: `ops.inbox_call`, shared by all processes, as one may make a call and another show it. It is for
 * looking at, not for keeping: the last few of each inbox, for some days.
 */
import type { PlannedJob } from '../../workflows/planned/planned-work.ts'
import type { Queryable } from '../postgres/database.ts'

/** Of each inbox. */
export const CALLS_KEPT = 50
const KEPT_DAYS = 7

export interface InboxCallRow {
  at: string
  method: string
  headers: Record<string, string>
  body: string
  /** Signed with the secret of a rule of the inbox's owner that leads here. */
  verified: boolean
}

type Owner = { user_id: number; inbox_id: number }

export interface InboxCalls {
  keep(call: Owner & Omit<InboxCallRow, 'at'>): Promise<void>
  /** By inbox, newest first. */
  list(inboxIds: readonly number[]): Promise<ReadonlyMap<number, InboxCallRow[]>>
  forget(inboxId: number): Promise<void>
}

/** The statement does not see the row it adds: with that one they are as many as are kept. */
const KEEP = `
WITH added AS (
  INSERT INTO ops.inbox_call (user_id, inbox_id, method, headers, body, verified) VALUES ($1, $2, $3, $4, $5, $6)
)
DELETE FROM ops.inbox_call WHERE inbox_id = $2
  AND id < (SELECT id FROM ops.inbox_call WHERE inbox_id = $2 ORDER BY id DESC OFFSET ${CALLS_KEPT - 2} LIMIT 1)`

const LIST = `
SELECT c.inbox_id, c.at, c.method, c.headers, c.body, c.verified
FROM unnest($1::bigint[]) AS wanted (inbox_id) CROSS JOIN LATERAL (
  SELECT * FROM ops.inbox_call c WHERE c.inbox_id = wanted.inbox_id ORDER BY c.id DESC LIMIT ${CALLS_KEPT}
) c ORDER BY c.id DESC`

export const openInboxCalls = (database: Queryable): InboxCalls => ({
  keep: async ({ user_id, inbox_id, method, headers, body, verified }) => {
    await database.query(KEEP, [user_id, inbox_id, method, JSON.stringify(headers), body, verified], 'inbox-keep')
  },
  list: async (inboxIds) => {
    const calls = new Map<number, InboxCallRow[]>(inboxIds.map((id) => [id, []]))
    if (inboxIds.length === 0) return calls
    for (const { inbox_id, ...call } of await database.query<InboxCallRow & { inbox_id: number }>(LIST, [inboxIds]))
      calls.get(inbox_id)!.push(call)
    return calls
  },
  forget: async (inboxId) => {
    await database.query('DELETE FROM ops.inbox_call WHERE inbox_id = $1', [inboxId])
  },
})

/** They tell who paid what, so those of an account that was deleted go with it. */
export const sweepInboxCalls = (database: Queryable): PlannedJob => ({
  name: 'sweep_inbox_calls',
  at: '26 * * * *',
  run: async () => {
    const swept = await database.query(
      `DELETE FROM ops.inbox_call c WHERE at < now() - make_interval(days => ${KEPT_DAYS})
         OR NOT EXISTS (SELECT FROM read_model.account a WHERE a.user_id = c.user_id) RETURNING 1`,
    )
    return swept.length > 0 ? { swept: swept.length } : null
  },
})
