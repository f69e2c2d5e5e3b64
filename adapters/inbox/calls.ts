// Tests: tests/integration/http/inbox.test.ts
/**
 * The calls that inboxes received: `ops.inbox_call`, shared by all processes, because one may make a call and another show
 * it. The calls are kept for inspection only: the last few of each inbox, for some days.
 */
import { type ScheduledJob, removing } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'

/** The most calls kept per inbox. */
const CALLS_KEPT = 50
const KEPT_DAYS = 7

export interface InboxCallRow {
  at: string
  method: string
  headers: Record<string, string>
  body: string
  /** Signed with the secret of a rule of the inbox's owner that calls this inbox. */
  verified: boolean
}

export interface PageOfCalls {
  inboxIds: readonly number[]
  /** For the first inbox only: calls older than this id; 0 means all. */
  before: number
  /** The page ends with the call at which the stored sizes reach this many bytes. */
  bytes: number
}

export type InboxCallOf = InboxCallRow & { id: number; inbox_id: number }

type Owner = { user_id: number; inbox_id: number }

export interface InboxCalls {
  keep(call: Owner & Omit<InboxCallRow, 'at'>): Promise<void>
  /** The calls of one inbox, newest first. */
  ofInbox(inboxId: number): Promise<InboxCallRow[]>
  /** A page of calls of several inboxes: in the given order of inboxes, newest first in each. */
  page(asked: PageOfCalls): Promise<InboxCallOf[]>
  forget(inboxId: number): Promise<void>
}

/** The statement does not see the row that it adds. Together with that row, `CALLS_KEPT` rows remain. */
const KEEP = `
WITH added AS (
  INSERT INTO ops.inbox_call (user_id, inbox_id, method, headers, body, verified) VALUES ($1, $2, $3, $4, $5, $6)
)
DELETE FROM ops.inbox_call WHERE inbox_id = $2
  AND id < (SELECT id FROM ops.inbox_call WHERE inbox_id = $2 ORDER BY id DESC OFFSET ${CALLS_KEPT - 2} LIMIT 1)`

const OF_INBOX = `
SELECT at, method, headers, body, verified FROM ops.inbox_call WHERE inbox_id = $1 ORDER BY id DESC LIMIT ${CALLS_KEPT}`

/** Sizes are known without reading the texts, so texts beyond the page are not read. */
const PAGE = `
SELECT id, inbox_id, at, method, headers, body, verified FROM (
  SELECT c.*, place, sum(c.size) OVER (ORDER BY place, c.id DESC) AS sum
  FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (wanted_id, place) CROSS JOIN LATERAL (
    SELECT *, octet_length(body) + octet_length(headers::text) AS size FROM ops.inbox_call
    WHERE inbox_id = wanted_id AND (place > 1 OR $2 = 0 OR id < $2) ORDER BY id DESC LIMIT ${CALLS_KEPT}
  ) c
) AS page WHERE sum - size < $3 ORDER BY place, id DESC`

export const openInboxCalls = (database: Queryable): InboxCalls => ({
  keep: async ({ user_id, inbox_id, method, headers, body, verified }) => {
    await database.query(KEEP, [user_id, inbox_id, method, JSON.stringify(headers), body, verified], 'inbox-keep')
  },
  ofInbox: (inboxId) => database.query<InboxCallRow>(OF_INBOX, [inboxId], 'inbox-calls'),
  page: async ({ inboxIds, before, bytes }) =>
    inboxIds.length === 0 ? [] : database.query<InboxCallOf>(PAGE, [inboxIds, before, bytes], 'inbox-page'),
  forget: async (inboxId) => {
    await database.query('DELETE FROM ops.inbox_call WHERE inbox_id = $1', [inboxId])
  },
})

/** Deletes old calls. Calls contain who paid what, so those of deleted accounts are deleted too. */
export const sweepInboxCalls = (database: Queryable): ScheduledJob =>
  removing('sweep_inbox_calls', '26 * * * *', async () => (await database.query(SWEEP)).length)
const SWEEP = `DELETE FROM ops.inbox_call c WHERE at < now() - make_interval(days => ${KEPT_DAYS})
  OR NOT EXISTS (SELECT FROM read_model.account a WHERE a.user_id = c.user_id) RETURNING 1`
