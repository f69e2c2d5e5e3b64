// Tests: tests/attack/fields-named-by-a-text.test.ts
/**
 * Warns the owner of an app whose bodies a text can change, because that is a danger. The alert says how to change the
 * app's template (decisions, "Trust", T2). There is one alert per device, per scoped key and for the personal URL. It
 * lasts seven days, however many such bodies arrive.
 */
import { sourceSubject } from '../alerts/subjects.ts'
import { pathOfSource } from '../../domain/arrival/receive-paths.ts'
import { DAY_MS } from '../../domain/time.ts'
import { sinceEvent, type Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

const LASTS_MS = 7 * DAY_MS

export const alertUnsafeForwarder = (alerts: Pick<Alerts, 'raise'>): Reactor =>
  reactor('alert_unsafe_forwarder', ['unread-'], {
    NotificationUnread: async (event) => {
      const { user_id, notification_id, source, unsafe } = event.data
      if (!unsafe) return 'nothing'
      await alerts.raise({
        user_id,
        kind: 'unsafe_forwarder',
        subject: sourceSubject(pathOfSource(source)),
        text: inEach(({ alerts }) => alerts.unsafe(notification_id, unsafe)),
        ...sinceEvent(event, LASTS_MS),
      })
    },
  })
