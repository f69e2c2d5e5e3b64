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

/** By kind and subject, and before that by a hash of both. So an event does not copy them all, however many have ended. */
export type Alerts = ReadonlyMap<number, ReadonlyMap<string, Known>>

export const NO_ALERTS: Alerts = new Map()

const PARTS = 512

const nameOf = (kind: AlertKind, subject: string): string => `${kind} ${subject}`

const partOf = (name: string): number => {
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = (Math.imul(hash, 31) + name.charCodeAt(index)) >>> 0
  return hash % PARTS
}

const knownOf = (alerts: Alerts, kind: AlertKind, subject: string): Known | undefined => {
  const name = nameOf(kind, subject)
  return alerts.get(partOf(name))?.get(name)
}

const withKnown = (alerts: Alerts, known: Known): Alerts => {
  const name = nameOf(known.kind, known.subject)
  const part = partOf(name)
  return new Map(alerts).set(part, new Map(alerts.get(part)).set(name, known))
}

export const evolve = (alerts: Alerts, event: AlertEvent): Alerts => {
  const { kind, subject, alert_id } = event.data
  switch (event.type) {
    case 'AlertRaised': {
      const { since, ends_at: until } = event.data
      return withKnown(alerts, { alert_id, kind, subject, since, until })
    }
    case 'AlertEnded': {
      const known = knownOf(alerts, kind, subject)
      return known?.alert_id === alert_id ? withKnown(alerts, { ...known, until: event.data.until }) : alerts
    }
  }
}

const CLOCKS_DIFFER_MS = 10 * 60_000

/** Whether it was raised while a clock was ahead. Causes are then never older than it. */
const isAhead = ({ since }: Known, now: Date): boolean => Date.parse(since) > now.getTime() + CLOCKS_DIFFER_MS

/** @returns nothing if the alert already lasts, or ended after this cause began */
export const raise = (alerts: Alerts, alert: AlertEventData['AlertRaised'], now: Date): AlertEvent[] => {
  const { kind, subject, since } = alert
  const known = knownOf(alerts, kind, subject)
  if (!known) return [{ type: 'AlertRaised', data: alert }]
  const isCovered = known.until === null || ((since <= known.since || since <= known.until) && !isAhead(known, now))
  return isCovered ? [] : [{ type: 'AlertRaised', data: alert }]
}

/** @param until  when its cause ended · @returns nothing if the alert does not last, or began after that time */
export const end = (
  alerts: Alerts,
  { user_id, kind, subject, until }: { user_id: number; kind: AlertKind; subject: string; until: string },
  now: Date,
): AlertEvent[] => {
  const known = knownOf(alerts, kind, subject)
  if (!known || (known.since > until && !isAhead(known, now)) || (known.until !== null && known.until <= until))
    return []
  return [{ type: 'AlertEnded', data: { user_id, alert_id: known.alert_id, kind, subject, until } }]
}
