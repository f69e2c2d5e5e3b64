// Tests: tests/integration/reactors/reactors.test.ts
/** All reactors. To add one, add a file to this folder and an entry here. */
import { accountCache, Accounts } from '../accounts/accounts.ts'
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
import type { Reactor, ReactorParts } from './reactor.ts'
import { seeBankAccounts } from './see-bank-account.ts'
import { sendAccountMails } from './send-account-mails.ts'
import { sendAlerts } from './send-alerts.ts'
import { upgradePlan } from './upgrade-plan.ts'

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
    sendAccountMails({ ...parts, accounts }),
    mailQuotaWarning({ ...parts, accounts }),
    raiseAlerts(alerts, accounts),
    raiseTransactionAlerts(alerts, accounts),
    alertUnsafeForwarder(alerts),
    alertSkippedMail(alerts, accounts),
    sendAlerts({ accounts, vault, clock, mailer, links, calls: openAlertCalls(sender, clock, log) }),
  ]
}
