// Tests: tests/attack/account-limits.test.ts
/** Accounts with more bytes of unread notifications than their plan allows, and the oldest of those notifications. */
import { PLAN_LIMITS } from '../../domain/account/plan.ts'
import type { UnreadNotification, UnreadOverLimit } from '../../workflows/scheduled/give-up-unread.ts'
import type { Queryable } from '../engine/queryable.ts'

const LEAST_LIMIT = Math.min(...Object.values(PLAN_LIMITS).map(({ unread_bytes }) => unread_bytes))

/** Reads the sums that a trigger maintains: one row per account that has unread notifications. */
const OVER = `SELECT b.user_id, b.number::integer AS bytes, a.plan, a.plan_expires_at
  FROM read_model.unread_bytes b JOIN read_model.account a USING (user_id) WHERE b.number > $1`

export const unreadOverLimit = (database: Queryable): Promise<UnreadOverLimit[]> =>
  database.query(OVER, [LEAST_LIMIT], 'unread-over-limit')

/** Oldest first: as many as must be removed to free at least `bytes`. */
const OLDEST = `SELECT id AS notification_id, source_type, received_at FROM (
    SELECT id, source_type, received_at, sum(bytes) OVER (ORDER BY received_at, id) - bytes AS before
    FROM read_model.notification WHERE user_id = $1 AND status = 'unparsed'
  ) AS unread WHERE before < $2 ORDER BY received_at, id`

export const oldestUnread = (database: Queryable, userId: number, bytes: number): Promise<UnreadNotification[]> =>
  database.query(OLDEST, [userId, bytes], 'oldest-unread')
