/** Reads of alerts. */
import type { AlertKind } from '../../domain/alert/events.ts'
import type { Queryable } from '../engine/queryable.ts'

export interface AlertRow {
  id: number
  kind: AlertKind
  subject: string
  text: string
  since: string
  until: string | null
}

/** Those that last are always among them, however long they do. */
const MOST = 200

/** Of one user: those that last first, then newest first. */
export const listAlerts = (database: Queryable, userId: number, now: Date): Promise<AlertRow[]> =>
  database.query<AlertRow>(
    `SELECT id, kind, subject, text, since, until FROM read_model.alert WHERE user_id = $1
     ORDER BY (until IS NULL OR until > $2::timestamptz) DESC, since DESC, id DESC LIMIT ${MOST}`,
    [userId, now.toISOString()],
    'alerts',
  )
