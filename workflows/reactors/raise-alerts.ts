// Tests: tests/integration/http/alerts.test.ts
/**
 * Alerts whose cause is an event: a paused rule or mailbox, a bank account that was seen for the first time, a quota
 * that is mostly used.
 */
import { shownDigits } from '../../domain/account/bank-accounts.ts'
import { bankAccountSubject, mailAccountSubject, monthSubject, ruleSubject } from '../alerts/subjects.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { DAY_MS, monthBounds, vietnamMonth } from '../../domain/time.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { sinceEvent, type Alerts, type Cause, type CauseEnded } from '../alerts/alerts.ts'
import { causedBy } from '../support/stamp.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

/** The alert about a new bank account lasts this long (milliseconds), unless its owner decides about the account before. */
const NEW_FOR_MS = 7 * DAY_MS

export const raiseAlerts = (alerts: Pick<Alerts, 'raise' | 'end'>, accounts: Pick<Accounts, 'find'>): Reactor => {
  const raise = async (event: RecordedEvent, cause: Omit<Cause, 'since' | 'causation_id' | 'correlation_id'>) =>
    void (await alerts.raise({ ...sinceEvent(event), ...cause }))
  const end = async (event: RecordedEvent, ended: Omit<CauseEnded, 'until' | 'causation_id' | 'correlation_id'>) =>
    void (await alerts.end({ ...ended, until: event.metadata.at, ...causedBy(event) }))

  const endRulePaused = (event: RecordedEvent, user_id: number, rule_id: number) =>
    end(event, { user_id, kind: 'rule_paused', subject: ruleSubject(rule_id) })

  const endMailboxPaused = (event: RecordedEvent, user_id: number, mail_account_id: number) =>
    end(event, { user_id, kind: 'mailbox_paused', subject: mailAccountSubject(mail_account_id) })

  const endNewBankAccount = (event: RecordedEvent, user_id: number, bank_account_id: number) =>
    end(event, { user_id, kind: 'new_bank_account', subject: bankAccountSubject(bank_account_id) })

  return reactor('raise_alerts', ['account-'], {
    RulePaused: async (event) => {
      const { user_id, rule_id } = event.data
      const name = (await accounts.find(user_id))?.rules.get(rule_id)?.name ?? ''
      await raise(event, {
        user_id,
        kind: 'rule_paused',
        subject: ruleSubject(rule_id),
        text: inEach(({ alerts }) => alerts.rulePaused(rule_id, name)),
      })
    },
    RuleChanged: async (event) => {
      const { user_id, rule_id, is_active } = event.data
      if (is_active === 1) await endRulePaused(event, user_id, rule_id)
    },
    RuleDeleted: (event) => endRulePaused(event, event.data.user_id, event.data.rule_id),

    MailAccountPaused: async (event) => {
      const { user_id, mail_account_id, reason } = event.data
      const address = (await accounts.find(user_id))?.mail_accounts.get(mail_account_id)?.email
      await raise(event, {
        user_id,
        kind: 'mailbox_paused',
        subject: mailAccountSubject(mail_account_id),
        text: inEach(({ alerts }) => alerts.mailboxPaused(address ?? String(mail_account_id), reason)),
      })
    },
    MailAccountChanged: (event) => endMailboxPaused(event, event.data.user_id, event.data.mail_account_id),
    MailAccountRemoved: (event) => endMailboxPaused(event, event.data.user_id, event.data.mail_account_id),

    BankAccountSeen: (event) => {
      const { user_id, bank_account_id, bank_code, account_number, waits = false } = event.data
      return raise(event, {
        user_id,
        kind: 'new_bank_account',
        subject: bankAccountSubject(bank_account_id),
        text: inEach(({ alerts }) => alerts.bankAccountSeen(bank_code, shownDigits(account_number), waits)),
        // An account that waits for confirmation has an alert without an end, until its owner decides.
        ...sinceEvent(event, waits ? undefined : NEW_FOR_MS),
      })
    },
    BankAccountChanged: (event) => endNewBankAccount(event, event.data.user_id, event.data.bank_account_id),
    BankAccountConfirmed: (event) => endNewBankAccount(event, event.data.user_id, event.data.bank_account_id),

    QuotaWarned: (event) => {
      const { user_id, month, transactions, limit } = event.data
      return raise(event, {
        user_id,
        kind: 'quota_80',
        subject: monthSubject(month),
        text: inEach(({ alerts }) => alerts.quota(transactions, limit, month)),
        ends_at: monthBounds(month)!.to.toISOString(),
      })
    },
    /** A plan that ran out does not end the alert. */
    PlanChanged: async (event) => {
      const { user_id, plan } = event.data
      if (plan === 'Free') return
      const month = vietnamMonth(new Date(event.metadata.at))
      await end(event, { user_id, kind: 'quota_80', subject: monthSubject(month) })
    },
  })
}
