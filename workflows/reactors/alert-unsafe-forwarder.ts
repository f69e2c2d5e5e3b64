// Tests: tests/attack/fields-named-by-a-text.test.ts
/**
 * Warns the owner of an app whose bodies a text can change, because that is a danger. The alert says how to change the
 * app's template (decisions, "Trust", T2). There is one alert per device, per scoped key and for the personal URL. It
 * lasts seven days, however many such bodies arrive.
 */
import type { Unsafe } from '../../domain/arrival/events.ts'
import { pathOfSource } from '../../domain/arrival/origin.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { reactor, type Reactor } from './reactor.ts'

const LASTS_MS = 7 * 86_400_000

const WHY: Record<Unsafe, string> = {
  duplicate_key: 'its JSON has a field twice',
  two_names: 'its JSON gives one field under two names, with different values',
  broken_json: 'it is not valid JSON',
}

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
        text:
          `Notification ${notification_id} is not counted: ${WHY[unsafe]}. A text could name fields of such a body and forge a payment. ` +
          'Change the template of the app that posts it: send the text as text/plain, and sender or package in the query of the address, ' +
          'as docs/connect-a-phone.md shows. If this notification is genuine, confirm it: POST ' +
          `/api/notifications/${notification_id}/reread {"confirmed":true}.`,
        since: metadata.at,
        ends_at: new Date(Date.parse(metadata.at) + LASTS_MS).toISOString(),
        causation_id: id,
        correlation_id: metadata.correlation_id,
      })
    },
  })
