// Tests: tests/integration/reactors/reactors.test.ts
/** Mails the operator when most of a user's quota is used (interface, section 6). */
import { USUAL_LANGUAGE } from '../../domain/account/language.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { accountOfEmail } from '../accounts/registration.ts'
import { TEXTS } from '../texts/texts.ts'
import { reactor, type Reactor, type ReactorParts } from './reactor.ts'
import { isOld } from './too-old.ts'

type Parts = Pick<ReactorParts, 'store' | 'clock' | 'mailer' | 'adminEmail'> & { accounts: Pick<Accounts, 'find'> }

export const mailQuotaWarning = ({ store, accounts, clock, mailer, adminEmail }: Parts): Reactor => {
  const operatorsAccount = async () => {
    const userId = await accountOfEmail(store, adminEmail)
    return userId === null ? null : accounts.find(userId)
  }
  return reactor('mail_quota_warning', ['account-'], {
    QuotaWarned: async ({ id, data: { user_id, month, transactions, limit }, metadata }) => {
      if (isOld(metadata.at, clock.now())) return
      const account = await accounts.find(user_id)
      if (!account) return
      const operator = await operatorsAccount()
      const { letters } = TEXTS[operator?.language ?? USUAL_LANGUAGE]
      const { email, plan } = account
      await mailer.send({
        ...letters.quota({ email, user_id, plan, month, transactions, limit }),
        key: id,
        to: adminEmail,
      })
    },
  })
}
