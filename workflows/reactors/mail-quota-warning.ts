// Tests: tests/integration/reactors/reactors.test.ts
/** Mails the operator when most of a user's quota is used (interface, section 6). */
import type { Clock, EventStore, Mailer } from '../../domain/ports.ts'
import { accountCache } from '../accounts/accounts.ts'
import { reactor, type Reactor } from './reactor.ts'
import { isOld } from './too-old.ts'

interface Parts {
  store: EventStore
  clock: Clock
  mailer: Mailer
  /** The operator's address. */
  adminEmail: string
}

export const mailQuotaWarning = ({ store, clock, mailer, adminEmail }: Parts): Reactor => {
  const cache = accountCache(100)
  return reactor('mail_quota_warning', ['account-'], {
    QuotaWarned: async ({ id, data: { user_id, month, transactions, limit }, metadata }) => {
      if (isOld(metadata.at, clock.now())) return
      const account = (await cache.load(store, String(user_id))).state
      if (!account) return
      const used = Math.floor((transactions * 100) / limit)
      await mailer.send({
        key: id,
        to: adminEmail,
        subject: `Baoco: ${account.email} has used ${used} % of this month's transactions`,
        text:
          `${account.email} (account ${user_id}) has had ${transactions} transactions in ${month}; its plan ${account.plan} ` +
          `has ${limit} a month.\n\nOver the quota, webhooks are still sent, but later.\n`,
      })
    },
  })
}
