// Tests: tests/unit/workflows/reactors/send-account-mails.test.ts, tests/integration/http/accounts.test.ts
/** Mails about an account: issued links, and repeated registrations. */
import { isGoodLink } from '../../domain/account/mail-tokens.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { TEXTS } from '../texts/texts.ts'
import { reactor, type Reactor, type ReactorParts } from './reactor.ts'
import { isOld } from './too-old.ts'

type Parts = Pick<ReactorParts, 'clock' | 'mailer' | 'links'> & { accounts: Pick<Accounts, 'find'> }

export const sendAccountMails = ({ accounts, clock, mailer, links }: Parts): Reactor => {
  const isRecent = (at: string) => !isOld(at, clock.now())

  return reactor('send_account_mails', ['account-'], {
    MailTokenIssued: async ({ id, data }) => {
      const { user_id, purpose, token_hash, nonce, issued_at, registered_again } = data
      if (!isRecent(issued_at)) return
      const account = await accounts.find(user_id)
      // A newer link has replaced this one, or it was used before it could be sent.
      if (!account || !isGoodLink(account.mail_tokens, purpose, token_hash)) return
      const url = links.url(purpose, user_id, nonce)
      const { letters } = TEXTS[account.language]
      const letter = registered_again ? letters.confirmAgain(url, links.page('forgot-password')) : letters[purpose](url)
      await mailer.send({ ...letter, to: account.email, key: id })
    },
    RegistrationRepeated: async ({ id, data: { user_id, at } }) => {
      const account = isRecent(at) && (await accounts.find(user_id))
      if (!account) return
      await mailer.send({
        ...TEXTS[account.language].letters.registeredAlready(links.page('login'), links.page('forgot-password')),
        to: account.email,
        key: id,
      })
    },
  })
}
