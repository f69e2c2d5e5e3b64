/** An alert is mailed when it is raised; the address its owner has set is called then, and when it ends. */
import type { AlertEvent, AlertKind } from '../../domain/alert/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Clock, Mailer } from '../../domain/ports.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { AlertCalls } from '../alerts/alert-calls.ts'
import { reaction, type Reaction } from './reaction.ts'
import { isOld } from './too-old.ts'

const SUBJECT: Record<AlertKind, string> = {
  endpoint_failing: 'an endpoint keeps failing',
  source_silent: 'a source has gone silent',
  quota_80: 'most of this month’s transactions are used',
  rule_paused: 'a webhook rule was paused',
  new_bank_account: 'a new bank account was seen',
  unsafe_forwarder: 'a forwarder app sends unsafe bodies',
}

export interface AlertTellingParts {
  accounts: Pick<Accounts, 'find'>
  clock: Clock
  mailer: Mailer
  calls: AlertCalls
}

export const tellAlerts = ({ accounts, clock, mailer, calls }: AlertTellingParts): Reaction => {
  /** Both the alert and its cause: a store that is met again from its first event raises what is long over. */
  const isNews = ({ metadata }: RecordedEvent, happened: string) =>
    !isOld(metadata.at, clock.now()) && !isOld(happened, clock.now())

  const bodyOf = ({ type, data }: AlertEvent) => ({
    event: type === 'AlertRaised' ? 'alert_raised' : 'alert_ended',
    id: data.alert_id,
    kind: data.kind,
    subject: data.subject,
    ...(type === 'AlertRaised' ? { text: data.text, since: data.since, until: data.ends_at } : { until: data.until }),
    timestamp: Math.floor(clock.now().getTime() / 1000),
  })

  return reaction('tell_alerts', ['alerts-'], {
    AlertRaised: async (event) => {
      const account = isNews(event, event.data.since) && (await accounts.find(event.data.user_id))
      if (!account) return
      if (account.alert_webhook_url !== null) calls.call(account.alert_webhook_url, event.id, bodyOf(event))
      await mailer.send({
        key: event.id,
        to: account.email,
        subject: `Baoco: ${SUBJECT[event.data.kind]}`,
        text: `${event.data.text}\n\nSince ${event.data.since}. The list of alerts shows when it is over.\n`,
      })
    },
    AlertEnded: async (event) => {
      const account = isNews(event, event.data.until) && (await accounts.find(event.data.user_id))
      if (account && account.alert_webhook_url !== null) calls.call(account.alert_webhook_url, event.id, bodyOf(event))
    },
  })
}
