/** The projector `main`: all that an answer of the API or a delivery needs. */
import { KEPT_UNREAD_S } from '../domain/notification/events.ts'
import type { Definition } from './definition.ts'
import { account } from './read-models/account.ts'
import { alert } from './read-models/alert.ts'
import { attempt } from './read-models/attempt.ts'
import { attemptCount, transactionTotal } from './read-models/counts.ts'
import { delivery } from './read-models/delivery.ts'
import { job } from './read-models/job.ts'
import { mailAccount } from './read-models/mail-account.ts'
import { notification, unreadBytes } from './read-models/notification.ts'
import { quota, quotaPlan } from './read-models/quota.ts'
import { rule } from './read-models/rule.ts'
import { system } from './read-models/system.ts'
import { transaction } from './read-models/transaction.ts'

export interface MainSettings {
  /** Seconds that the first calls over the quota are put off. */
  overQuotaDelay: number
  /** Seconds that the store keeps what nobody could read. */
  keepUnread: number
}

export const mainWith = ({ overQuotaDelay, keepUnread }: MainSettings): Definition => ({
  projector: 'main',
  schema: 'read_model',
  // The quota before the transactions: it asks for a deleted one's row.
  projections: [
    account, alert, system, rule, quota(overQuotaDelay), quotaPlan, transaction, attempt, delivery, mailAccount,
    notification(keepUnread), unreadBytes, job, transactionTotal, attemptCount,
  ], // prettier-ignore
  prefixes: ['account-', 'alerts-', 'transaction-', 'unread-', 'ignored-', 'job-'],
  restMs: 0,
  gatheringMs: 5_000,
  mostLateMs: 10_000,
})

export const main = mainWith({ overQuotaDelay: 900, keepUnread: KEPT_UNREAD_S })
