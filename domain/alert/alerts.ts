/**
 * The alerts of one user. For each kind and subject only the newest alert counts. It is raised once while its cause lasts, and
 * ends when the cause ends. Repeated and late reports change nothing: a cause older than the newest alert is already covered.
 */
import type { AlertEvent, AlertEventData, AlertKind } from './events.ts'

interface Known {
  alert_id: number
  kind: AlertKind
  subject: string
  since: string
  /** When it ended, or will end by itself. Null while it lasts. */
  until: string | null
}

/** By kind and subject. */
export type Alerts = ReadonlyMap<string, Known>

export const NO_ALERTS: Alerts = new Map()

const nameOf = (kind: AlertKind, subject: string): string => `${kind} ${subject}`

export const evolve = (alerts: Alerts, event: AlertEvent): Alerts => {
  const { kind, subject, alert_id } = event.data
  const name = nameOf(kind, subject)
  switch (event.type) {
    case 'AlertRaised': {
      const { since, ends_at: until } = event.data
      return new Map(alerts).set(name, { alert_id, kind, subject, since, until })
    }
    case 'AlertEnded': {
      const known = alerts.get(name)
      return known?.alert_id === alert_id ? new Map(alerts).set(name, { ...known, until: event.data.until }) : alerts
    }
  }
}

/** @returns nothing if the alert already lasts, or ended after this cause began */
export const raise = (alerts: Alerts, alert: AlertEventData['AlertRaised']): AlertEvent[] => {
  const { kind, subject, since } = alert
  const known = alerts.get(nameOf(kind, subject))
  const isKnown = known && (known.until === null || since <= known.since || since <= known.until)
  return isKnown ? [] : [{ type: 'AlertRaised', data: alert }]
}

/** @param until  when its cause ended · @returns nothing if the alert does not last, or began after that time */
export const end = (
  alerts: Alerts,
  { user_id, kind, subject, until }: { user_id: number; kind: AlertKind; subject: string; until: string },
): AlertEvent[] => {
  const known = alerts.get(nameOf(kind, subject))
  if (!known || known.since > until || (known.until !== null && known.until <= until)) return []
  return [{ type: 'AlertEnded', data: { user_id, alert_id: known.alert_id, kind, subject, until } }]
}
