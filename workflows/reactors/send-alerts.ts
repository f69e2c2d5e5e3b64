// Tests: tests/unit/workflows/reactors/send-alerts.test.ts, tests/integration/http/alerts.test.ts
/**
 * Mails an alert when it is raised, and calls the address that its owner has set, when it is raised and when it ends. The end of an alert
 * about an endpoint without an answer is mailed too, because its owner waits for it. An alert about a parked stream is not mailed here. The mail does not
 * depend on the call, whose secret may be sealed under a lost key.
 */
import type { Account } from '../../domain/account/account.ts'
import { signAlertWebhook } from '../../domain/account/alert-webhook.ts'
import type { AlertEvent, AlertEventData } from '../../domain/alert/events.ts'
import { bankAccountIn, isRule } from '../alerts/subjects.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Clock, Mailer, Vault } from '../../domain/ports.ts'
import { endpointOf, originOf } from '../../domain/webhook/endpoint.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import { newRuleSecret } from '../accounts/secrets.ts'
import type { AlertCalls, Target } from '../alerts/alert-calls.ts'
import { causedBy } from '../support/stamp.ts'
import { TEXTS } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'
import { isOld } from './too-old.ts'

export interface SendAlertsParts {
  accounts: Pick<Accounts, 'find' | 'change'>
  vault: Vault
  clock: Clock
  mailer: Mailer
  links: Pick<MailLinks, 'confirmation'>
  calls: AlertCalls
}

type AlertRaised = AlertEventData['AlertRaised']

const uses = ({ rules }: Account, origin: string): boolean =>
  [...rules.values()].some(({ url }) => originOf(endpointOf(url)) === origin)

/**
 * Checks the age of both the alert and its cause. If a store is read again from its first event, alerts about long
 * past causes are raised.
 */
const isRecent = ({ metadata }: RecordedEvent, happened: string, now: Date): boolean =>
  !isOld(metadata.at, now) && !isOld(happened, now)

const bodyOf = ({ type, data }: AlertEvent) => ({
  event: type === 'AlertRaised' ? 'alert_raised' : 'alert_ended',
  id: data.alert_id,
  kind: data.kind,
  subject: data.subject,
  ...(type === 'AlertRaised' ? { text: data.text, since: data.since, until: data.ends_at } : { until: data.until }),
})

/** @returns a function that finds the address of an account and opens its secret; null if it has none */
const openTargets = ({ accounts, vault, clock }: Pick<SendAlertsParts, 'accounts' | 'vault' | 'clock'>) => {
  /** The secret of the account's address. An address that was set before calls were signed gets its secret now. */
  const secretOf = async (account: Account, cause: RecordedEvent): Promise<string | null> => {
    if (account.alert_sealed_secret !== null) return vault.open(account.alert_sealed_secret)
    const { user_id } = account
    const occasion = { user_id, at: clock.now(), ...causedBy(cause) }
    const sealed = vault.seal(newRuleSecret())
    const changed = await accounts.change(occasion, (now) => signAlertWebhook(now, sealed))
    const { alert_sealed_secret } = changed.account
    return alert_sealed_secret === null ? null : vault.open(alert_sealed_secret)
  }

  return async (account: Account | null, cause: RecordedEvent): Promise<Target | null> => {
    const url = account?.alert_webhook_url ?? null
    if (!account || url === null) return null
    const secret = await secretOf(account, cause)
    return secret === null ? null : { url, secret }
  }
}

/** How the owner learns that an alert is over. The dashboard's Today shows every alert but those about bank accounts, which need no end. */
const endOf = ({ kind, subject }: AlertRaised): 'mail' | 'today' | null => {
  if (kind === 'endpoint_failing' && !isRule(subject)) return 'mail'
  return kind === 'new_bank_account' ? null : 'today'
}

export const sendAlerts = (parts: SendAlertsParts): Reactor => {
  const { accounts, clock, mailer, links, calls } = parts
  const targetOf = openTargets(parts)

  const call = async (account: Account, event: RecordedEvent & AlertEvent): Promise<void> => {
    const { user_id } = account
    const target = await targetOf(account, event)
    if (target === null) return
    const present = async () => targetOf(await accounts.find(user_id), event)
    calls.call({ ...target, user_id, id: event.id, body: bodyOf(event), present })
  }

  /**
   * The link that confirms a bank account that waits. Only the mail contains it: the list of alerts and the alert
   * webhook may be visible to people who must not confirm.
   */
  const linkIn = ({ user_id, bank_accounts, language }: Account, { subject, since }: AlertRaised): string => {
    const bank_account_id = bankAccountIn(subject)
    if (bank_account_id === null || bank_accounts.get(bank_account_id)?.confirmed !== false) return ''
    const url = links.confirmation.url({ user_id, bank_account_id }, since)
    return `\n\n${TEXTS[language].letters.alert.link(url)}`
  }

  const mailRaised = async (account: Account, { id, data }: KnownEvent<'AlertRaised'>): Promise<void> => {
    const { kind, text, since } = data
    // The process that met the event has sent a mail of its own (`parked/notify-operator.ts`).
    if (kind === 'stream_parked') return
    const { subjects, since: began } = TEXTS[account.language].letters.alert
    await mailer.send({
      key: id,
      to: account.email,
      subject: `Baoco: ${subjects[kind]}`,
      text: `${text}${linkIn(account, data)}

${began(since, endOf(data))}
`,
    })
  }

  return reactor('tell_alerts', ['alerts-'], {
    AlertRaised: async (event) => {
      const account = isRecent(event, event.data.since, clock.now()) && (await accounts.find(event.data.user_id))
      if (!account) return
      await mailRaised(account, event)
      await call(account, event)
    },
    AlertEnded: async (event) => {
      const { user_id, kind, subject, until } = event.data
      const account = isRecent(event, until, clock.now()) && (await accounts.find(user_id))
      if (!account) return
      if (kind === 'endpoint_failing' && uses(account, subject)) {
        const ended = TEXTS[account.language].letters.alert.ended(subject, until)
        await mailer.send({ ...ended, key: event.id, to: account.email })
      }
      await call(account, event)
    },
  })
}
