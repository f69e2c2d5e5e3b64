// Tests: tests/integration/http/alerts.test.ts
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

/** The subjects of a user's alerts of one kind that last. */
export const lastingSubjects = async (database: Queryable, userId: number, kind: AlertKind): Promise<string[]> => {
  const rows = await database.query<{ subject: string }>(
    'SELECT subject FROM read_model.alert WHERE user_id = $1 AND kind = $2 AND until IS NULL ORDER BY id',
    [userId, kind],
  )
  return rows.map(({ subject }) => subject)
}

/** Open alerts are always among these, however long they stay open. */
const MOST = 200

/** The alerts of one user: open ones first, then newest first. */
export const listAlerts = (database: Queryable, userId: number, now: Date): Promise<AlertRow[]> =>
  database.query<AlertRow>(
    `SELECT id, kind, subject, text, since, until FROM read_model.alert WHERE user_id = $1
     ORDER BY (until IS NULL OR until > $2::timestamptz) DESC, since DESC, id DESC LIMIT ${MOST}`,
    [userId, now.toISOString()],
    'alerts',
  )
