// Tests: tests/integration/http/alerts.test.ts
/**
 * Alerts whose cause is an event: a paused rule or mailbox, a bank account that was seen for the first time, a quota
 * that is mostly used.
 */
import { shownDigits } from '../../domain/account/bank-accounts.ts'
import { bankAccountSubject, mailAccountSubject, monthSubject, ruleSubject } from '../alerts/subjects.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { DAY_MS, monthBounds, vietnamMonth } from '../../domain/time.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { sinceEvent, type Alerts, type Cause } from '../alerts/alerts.ts'
import { causedBy } from '../support/stamp.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

/** The alert about a new bank account lasts this long (milliseconds), unless its owner decides about the account before. */
const NEW_FOR_MS = 7 * DAY_MS

/** An event about the account whose alert it raises or ends. */
type OfAccount = RecordedEvent<string, { user_id: number }>

export const raiseAlerts = (alerts: Pick<Alerts, 'raise' | 'end'>, accounts: Pick<Accounts, 'find'>): Reactor => {
  const raise = async (event: OfAccount, cause: Omit<Cause, 'user_id' | 'since' | 'causation_id' | 'correlation_id'>) =>
    void (await alerts.raise({ ...sinceEvent(event), user_id: event.data.user_id, ...cause }))
  const end = async (event: OfAccount, ended: Pick<Cause, 'kind' | 'subject'>) =>
    void (await alerts.end({
      ...ended,
      user_id: event.data.user_id,
      until: event.metadata.at,
      ...causedBy(event),
    }))

  const endRulePaused = (event: KnownEvent<'RuleChanged' | 'RuleDeleted'>) =>
    end(event, { kind: 'rule_paused', subject: ruleSubject(event.data.rule_id) })

  const endMailboxPaused = (event: KnownEvent<'MailAccountChanged' | 'MailAccountRemoved'>) =>
    end(event, { kind: 'mailbox_paused', subject: mailAccountSubject(event.data.mail_account_id) })

  const endNewBankAccount = (event: KnownEvent<'BankAccountChanged' | 'BankAccountConfirmed'>) =>
    end(event, { kind: 'new_bank_account', subject: bankAccountSubject(event.data.bank_account_id) })

  return reactor('raise_alerts', ['account-'], {
    RulePaused: async (event) => {
      const { user_id, rule_id } = event.data
      const name = (await accounts.find(user_id))?.rules.get(rule_id)?.name ?? ''
      const text = inEach(({ alerts }) => alerts.rulePaused(rule_id, name))
      await raise(event, { kind: 'rule_paused', subject: ruleSubject(rule_id), text })
    },
    RuleChanged: async (event) => {
      if (event.data.is_active === 1) await endRulePaused(event)
    },
    RuleDeleted: endRulePaused,

    MailAccountPaused: async (event) => {
      const { user_id, mail_account_id, reason } = event.data
      const address = (await accounts.find(user_id))?.mail_accounts.get(mail_account_id)?.email
      const text = inEach(({ alerts }) => alerts.mailboxPaused(address ?? String(mail_account_id), reason))
      await raise(event, { kind: 'mailbox_paused', subject: mailAccountSubject(mail_account_id), text })
    },
    MailAccountChanged: endMailboxPaused,
    MailAccountRemoved: endMailboxPaused,

    BankAccountSeen: (event) => {
      const { bank_account_id, bank_code, account_number, waits = false } = event.data
      return raise(event, {
        kind: 'new_bank_account',
        subject: bankAccountSubject(bank_account_id),
        text: inEach(({ alerts }) => alerts.bankAccountSeen(bank_code, shownDigits(account_number), waits)),
        // An account that waits for confirmation has an alert without an end, until its owner decides.
        ...sinceEvent(event, waits ? undefined : NEW_FOR_MS),
      })
    },
    BankAccountChanged: endNewBankAccount,
    BankAccountConfirmed: endNewBankAccount,

    QuotaWarned: (event) => {
      const { month, transactions, limit } = event.data
      return raise(event, {
        kind: 'quota_80',
        subject: monthSubject(month),
        text: inEach(({ alerts }) => alerts.quota(transactions, limit, month)),
        ends_at: monthBounds(month)!.to.toISOString(),
      })
    },
    /** A plan that ran out does not end the alert. */
    PlanChanged: async (event) => {
      if (event.data.plan === 'Free') return
      await end(event, { kind: 'quota_80', subject: monthSubject(vietnamMonth(new Date(event.metadata.at))) })
    },
  })
}
