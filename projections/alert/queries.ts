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

const COLUMNS = 'id, kind, subject, text, since, until'

const NEWEST = `ORDER BY since DESC, id DESC LIMIT ${MOST}`

/** The conditions are apart, so that an index answers each of them however many alerts have ended. */
const LIST = `
WITH open AS (
  (SELECT ${COLUMNS} FROM read_model.alert WHERE user_id = $1 AND until IS NULL ${NEWEST})
  UNION ALL (SELECT ${COLUMNS} FROM read_model.alert WHERE user_id = $1 AND until > $2::timestamptz ${NEWEST})
), ended AS (
  SELECT ${COLUMNS} FROM read_model.alert WHERE user_id = $1 AND until <= $2::timestamptz ${NEWEST}
)
SELECT ${COLUMNS} FROM (SELECT *, true AS lasts FROM open UNION ALL SELECT *, false FROM ended) every
ORDER BY lasts DESC, since DESC, id DESC LIMIT ${MOST}`

/** The alerts of one user: open ones first, then newest first. */
export const listAlerts = (database: Queryable, userId: number, now: Date): Promise<AlertRow[]> =>
  database.query<AlertRow>(LIST, [userId, now.toISOString()], 'alerts')
