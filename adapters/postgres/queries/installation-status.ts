/** How the installation does, for its operator. */
import type { Queryable } from '../database.ts'

export interface InstallationStatus {
  projectors: { projector: string; passed: string | null; last_event_at: string | null }[]
  lanes: { lane: string; open: number; due: number }[]
  breakers: { user_id: number; endpoint: string; since: string }[]
  overdue: number
}

/** What a paused rule or a locked account holds is not overdue. */
const OVERDUE = `SELECT count(*) AS overdue FROM read_model.delivery d
  JOIN read_model.rule r ON r.rule_id = d.rule_id AND r.is_active = 1
  JOIN read_model.account a ON a.user_id = d.user_id AND NOT a.locked
  WHERE d.status = 'open' AND d.due_at < now() - interval '30 seconds'`

export const installationStatus = async (database: Queryable): Promise<InstallationStatus> => {
  const [projectors, lanes, breakers, overdue] = await Promise.all([
    database.query<InstallationStatus['projectors'][number]>(
      'SELECT projector, passed, updated_at AS last_event_at FROM read_model.checkpoint ORDER BY projector',
    ),
    database.query<InstallationStatus['lanes'][number]>(
      `SELECT lane, count(*) AS open, count(*) FILTER (WHERE due_at <= now()) AS due
       FROM read_model.delivery WHERE status = 'open' GROUP BY lane ORDER BY lane`,
    ),
    database.query<InstallationStatus['breakers'][number]>(
      `SELECT user_id, subject AS endpoint, since FROM read_model.alert
       WHERE kind = 'endpoint_failing' AND until IS NULL ORDER BY since, id LIMIT 1000`,
    ),
    database.query<{ overdue: number }>(OVERDUE),
  ])
  return { projectors, lanes, breakers, overdue: overdue[0]!.overdue }
}
