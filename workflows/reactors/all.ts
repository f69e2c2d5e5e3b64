// Tests: tests/integration/reactors/reactors.test.ts
/** All reactors. To add one, add a file to this folder and an entry here. */
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import type { Clock, EventStore, Ids, Mailer, Sender, Vault, LogLines } from '../../domain/ports.ts'
import { accountCache, Accounts } from '../accounts/accounts.ts'
import type { Snapshots } from '../support/snapshots.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import { openAlertCalls } from '../alerts/alert-calls.ts'
import { openAlerts } from '../alerts/alerts.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { eraseReread } from './erase-reread.ts'
import { alertSkippedMail } from './alert-skipped-mail.ts'
import { alertUnsafeForwarder } from './alert-unsafe-forwarder.ts'
import { mailQuotaWarning } from './mail-quota-warning.ts'
import { pauseGoneRule } from './pause-gone-rule.ts'
import { raiseAlerts } from './raise-alerts.ts'
import { releaseConfirmed } from './release-held.ts'
import { raiseTransactionAlerts } from './raise-transaction-alerts.ts'
import type { Reactor } from './reactor.ts'
import { seeBankAccounts } from './see-bank-account.ts'
import { sendAccountMails } from './send-account-mails.ts'
import { sendAlerts } from './send-alerts.ts'
import { upgradePlan } from './upgrade-plan.ts'

export interface ReactorParts {
  store: EventStore
  clock: Clock
  ids: Ids
  vault: Vault
  mailer: Mailer
  links: MailLinks
  /** Snapshots of accounts and alerts. Default: each is read from its stream. */
  snapshots?: Snapshots
  /** The operator's address. */
  adminEmail: string
  /** The commission on a referred account's plan payment, in per cent. */
  commission: number
  /** Calls the addresses that alerts are sent to. */
  sender: Sender
  log: Pick<LogLines, 'warn'>
  /** The account that receives plan payments; null if no plan can be bought. */
  plans: PlanAccount | null
  /**
   * A transaction that waited longer than this for its bank account to be confirmed is not sent automatically:
   * milliseconds.
   */
  maxAgeMs: number
}

export const allReactors = (parts: ReactorParts): readonly Reactor[] => {
  const { store, clock, vault, mailer, sender, log, links } = parts
  const accounts = new Accounts(store, accountCache(undefined, parts.snapshots))
  const alerts = openAlerts(parts)
  return [
    eraseDeleted(store),
    eraseReread(store),
    pauseGoneRule(store, clock),
    seeBankAccounts(parts),
    releaseConfirmed({ ...parts, accounts }),
    upgradePlan(parts),
    sendAccountMails(parts),
    mailQuotaWarning(parts),
    raiseAlerts(alerts, accounts),
    raiseTransactionAlerts(alerts),
    alertUnsafeForwarder(alerts),
    alertSkippedMail(alerts, accounts),
    sendAlerts({ accounts, vault, clock, mailer, links, calls: openAlertCalls(sender, clock, log) }),
  ]
}
