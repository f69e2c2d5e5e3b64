// Tests: tests/attack/fields-named-by-a-text.test.ts
/**
 * Warns the owner of an app whose bodies a text can change, because that is a danger. The alert says how to change the
 * app's template (decisions, "Trust", T2). There is one alert per device, per scoped key and for the personal URL. It
 * lasts seven days, however many such bodies arrive.
 */
import { pathOfSource } from '../../domain/arrival/origin.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

const LASTS_MS = 7 * 86_400_000

/** The subject of the alert: `device:7`, `api_key:8`, or `receive_url`. */
const subjectOf = (source: string): string => {
  const [, kind, id] = /^(device|key)-(\d+)$/.exec(pathOfSource(source)) ?? []
  if (kind === undefined) return 'receive_url'
  return kind === 'device' ? `device:${id}` : `api_key:${id}`
}

export const alertUnsafeForwarder = (alerts: Pick<Alerts, 'raise'>): Reactor =>
  reactor('alert_unsafe_forwarder', ['unread-'], {
    NotificationUnread: async ({ id, data, metadata }) => {
      const { user_id, notification_id, source, unsafe } = data
      if (!unsafe) return 'nothing'
      await alerts.raise({
        user_id,
        kind: 'unsafe_forwarder',
        subject: subjectOf(source),
        text: inEach(({ alerts }) => alerts.unsafe(notification_id, unsafe)),
        since: metadata.at,
        ends_at: new Date(Date.parse(metadata.at) + LASTS_MS).toISOString(),
        causation_id: id,
        correlation_id: metadata.correlation_id,
      })
    },
  })
