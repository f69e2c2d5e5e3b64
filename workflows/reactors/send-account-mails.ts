// Tests: tests/integration/http/accounts.test.ts
/** Mails about an account: issued links, and repeated registrations. */
import type { Clock, EventStore, Mailer } from '../../domain/ports.ts'
import { isGoodLink } from '../../domain/account/mail-tokens.ts'
import { Accounts } from '../accounts/accounts.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import { reactor, type Reactor } from './reactor.ts'
import { isOld } from './too-old.ts'

export interface AccountMailParts {
  store: EventStore
  clock: Clock
  mailer: Mailer
  links: MailLinks
}

export const sendAccountMails = ({ store, clock, mailer, links }: AccountMailParts): Reactor => {
  const accounts = new Accounts(store)
  const isRecent = (at: string) => !isOld(at, clock.now())

  return reactor('send_account_mails', ['account-'], {
    MailTokenIssued: async ({ id, data }) => {
      const { user_id, purpose, token_hash, nonce, issued_at, registered_again } = data
      if (!isRecent(issued_at)) return
      const account = await accounts.find(user_id)
      // A newer link has replaced this one, or it was used before it could be sent.
      if (!account || !isGoodLink(account.mail_tokens, purpose, token_hash)) return
      const url = links.url(purpose, user_id, nonce)
      const letter = registered_again ? confirmAgain(url, links.page('forgot-password')) : LETTER[purpose](url)
      await mailer.send({ ...letter, to: account.email, key: id })
    },
    RegistrationRepeated: async ({ id, data: { user_id, at } }) => {
      const account = isRecent(at) && (await accounts.find(user_id))
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
      'It ends every login of the account. The API key stays, unless you choose to end everything. If it was not you, do nothing: your password stays as it is.',
    ),
}

const confirmAgain = (url: string, forgot: string) =>
  letter(
    'Confirm your e-mail address',
    'This e-mail address was registered for a Baoco account again. The newest registration counts, with its password.',
    'Earlier links to confirm the address no longer work. If it was you, open this link within 24 hours:',
    '',
    url,
    '',
    'If you registered only once, somebody else registered your address too and knows that password. Then do not open the link.',
    `Choose a password of your own instead: ${forgot}`,
  )

const registeredAlready = (login: string, forgot: string) =>
  letter(
    'You have an account already',
    'Somebody, we hope you, tried to open a Baoco account with this e-mail address. It has one already, and nothing was changed.',
    '',
    `Log in:              ${login}`,
    `Forgotten password:  ${forgot}`,
  )
