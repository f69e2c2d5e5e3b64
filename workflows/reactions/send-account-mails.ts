/** Mails about an account itself: the links that were issued, and that somebody registered its e-mail again. */
import type { Clock, EventStore, Mailer } from '../../domain/ports.ts'
import { Accounts } from '../accounts/accounts.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import { reaction, type Reaction } from './reaction.ts'
import { isOld } from './too-old.ts'

export interface AccountMailParts {
  store: EventStore
  clock: Clock
  mailer: Mailer
  links: MailLinks
}

export const sendAccountMails = ({ store, clock, mailer, links }: AccountMailParts): Reaction => {
  const accounts = new Accounts(store)
  const isNews = (at: string) => !isOld(at, clock.now())

  return reaction('send_account_mails', ['account-'], {
    MailTokenIssued: async ({ id, data: { user_id, purpose, token_hash, nonce, issued_at } }) => {
      if (!isNews(issued_at)) return
      const account = await accounts.find(user_id)
      // A newer link has ended this one, or it was used before it could be sent.
      if (account?.mail_tokens.good[purpose]?.token_hash !== token_hash) return
      const url = links.url(purpose, user_id, nonce)
      await mailer.send({ ...LETTER[purpose](url), to: account.email, key: id })
    },
    RegistrationRepeated: async ({ id, data: { user_id, at } }) => {
      const account = isNews(at) && (await accounts.find(user_id))
      if (!account) return
      await mailer.send({
        ...registeredAlready(links.page('login'), links.page('forgot-password')),
        to: account.email,
        key: id,
      })
    },
  })
}

const letter = (subject: string, ...lines: string[]) => ({ subject, text: `${lines.join('\n')}\n` })

const LETTER = {
  verify_email: (url: string) =>
    letter(
      'Confirm your e-mail address',
      'Somebody, we hope you, opened a Baoco account with this e-mail address.',
      'Open this link within 24 hours to confirm that the address is yours:',
      '',
      url,
      '',
      'If it was not you, do nothing: without the link the account cannot be used.',
    ),
  reset_password: (url: string) =>
    letter(
      'Choose a new password',
      'Somebody, we hope you, asked for a new password for the Baoco account with this e-mail address.',
      'Open this link within one hour to choose one:',
      '',
      url,
      '',
      'It ends every login of the account; the API key stays. If it was not you, do nothing: your password stays as it is.',
    ),
}

const registeredAlready = (login: string, forgot: string) =>
  letter(
    'You have an account already',
    'Somebody, we hope you, tried to open a Baoco account with this e-mail address. It has one already, and nothing was changed.',
    '',
    `Log in:              ${login}`,
    `Forgotten password:  ${forgot}`,
  )
