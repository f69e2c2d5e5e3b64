// Tests: tests/integration/http/notifications.test.ts
/** Reads of notifications: kept unread, ignored, or captured as a transaction. Everything is restricted to its owner. */
import type { Reread } from '../../workflows/capture/reparse.ts'
import type { Queryable } from '../engine/queryable.ts'
import { pageSql, type PageOf } from '../engine/page-sql.ts'
import { ALL_DAYS } from '../transaction/filter.ts'

export const notificationStatuses = ['unparsed', 'ignored', 'captured'] as const
export type NotificationStatus = (typeof notificationStatuses)[number]

export interface NotificationRow extends Reread {
  text: string | null
  /** The name that the deduplication window uses; null for a captured notification. */
  source: string | null
}

export const NOTIFICATIONS_A_PAGE = 30

/** Leaves out expired notifications. Their rows may still wait for the sweep. */
const NOT_CAPTURED = `SELECT id, status, source_type, reason, NULL::bigint AS transaction_id, received_at, text,
    source, unsafe
  FROM read_model.notification WHERE user_id = $1 AND (expires_at IS NULL OR expires_at > now())`

const CAPTURED = `SELECT id, 'captured' AS status, source_type, NULL AS reason, id AS transaction_id,
    created_at AS received_at, description AS text, NULL AS source, NULL AS unsafe
  FROM read_model.transaction WHERE user_id = $1`

/** Captured notifications have counts. There are never many others, because most expire by themselves. */
const NOT_CAPTURED_TOTAL = `SELECT count(*) AS number FROM (${NOT_CAPTURED}) AS others`
const CAPTURED_TOTAL = `SELECT coalesce(sum(number), 0) AS number FROM read_model.transaction_total
  WHERE user_id = $1 AND ${ALL_DAYS}`

/** The queries to read for a status. The status is put into the SQL text: it is one of three words. */
const readsOf = (status: NotificationStatus | undefined): { rows: string[]; totals: string[] } => {
  if (status === 'captured') return { rows: [CAPTURED], totals: [CAPTURED_TOTAL] }
  if (status === undefined) return { rows: [NOT_CAPTURED, CAPTURED], totals: [NOT_CAPTURED_TOTAL, CAPTURED_TOTAL] }
  const where = `status = '${status}'`
  return { rows: [`${NOT_CAPTURED} AND ${where}`], totals: [`${NOT_CAPTURED_TOTAL} WHERE ${where}`] }
}

/** Newest first. `total` is the number of rows over all pages. */
export const listNotifications = async (
  database: Queryable,
  userId: number,
  status: NotificationStatus | undefined,
  of: PageOf,
): Promise<{ rows: NotificationRow[]; total: number }> => {
  const { rows, totals } = readsOf(status)
  const { sql, more, reach, name } = pageSql(of, 1, NOTIFICATIONS_A_PAGE, { at: 'received_at' })
  // Each table is read by its own index, no further than the page reaches. Combined first, they would be sorted as a
  // whole.
  const reached = rows.map((table) => `(SELECT * FROM (${table}) AS one WHERE true ${reach})`)
  const [found, counts] = await Promise.all([
    database.query<NotificationRow>(
      `SELECT * FROM (${reached.join(' UNION ALL ')}) AS every WHERE true ${sql}`,
      [userId, ...more],
      `notifications:${name}:${status ?? 'all'}`,
    ),
    database.query<{ number: number }>(totals.join(' UNION ALL '), [userId], `notifications-total:${status ?? 'all'}`),
  ])
  return { rows: found, total: counts.reduce((sum, { number }) => sum + number, 0) }
}

/** @returns null if this user has no notification with this id */
export const findNotification = async (
  database: Queryable,
  userId: number,
  id: number,
): Promise<NotificationRow | null> => {
  const [row] = await database.query<NotificationRow>(
    `${NOT_CAPTURED} AND id = $2 UNION ALL ${CAPTURED} AND id = $2`,
    [userId, id],
    'notification',
  )
  return row ?? null
}
