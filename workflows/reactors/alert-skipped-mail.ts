// Tests: tests/integration/mail-ingest/refused-mails.test.ts
/** Alerts the owner about a mail that its server never returned: it may have been a payment. At most one alert a day per mailbox. */
import { mailAccountSubject } from '../alerts/subjects.ts'
import { pathOfSource } from '../../domain/arrival/receive-paths.ts'
import { DAY_MS } from '../../domain/time.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { sinceEvent, type Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

export const alertSkippedMail = (alerts: Pick<Alerts, 'raise'>, accounts: Pick<Accounts, 'find'>): Reactor =>
  reactor('alert_skipped_mail', ['ignored-'], {
    NotificationIgnored: async (event) => {
      const { user_id, notification_id, reason, source, text } = event.data
      if (reason !== 'unreadable_mail') return 'nothing'
      const mailbox = Number(pathOfSource(source).split('-')[1])
      const address = (await accounts.find(user_id))?.mail_accounts.get(mailbox)?.email ?? String(mailbox)
      await alerts.raise({
        user_id,
        kind: 'mail_skipped',
        subject: mailAccountSubject(mailbox),
        text: inEach(({ alerts }) => alerts.mailSkipped(notification_id, address, text ?? '')),
        ...sinceEvent(event, DAY_MS),
      })
    },
  })
