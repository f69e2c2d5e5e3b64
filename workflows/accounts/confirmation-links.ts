// Tests: tests/attack/new-bank-accounts.test.ts
/**
 * The link in the alert mail about a new bank account. Its page shows the number and a button. Only the button
 * confirms, because mail scanners open links. The token is a signed statement: it contains the account, the number and
 * the expiry, and gives no other access. So nothing has to be stored, and the mail can be written again from the event.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { formToken, userOfToken } from '../../domain/account/tokens.ts'
import { DAY_MS } from '../../domain/time.ts'

/** Path of the page. */
export const CONFIRMATION_PAGE = '/confirm-bank-account'

/** How long a link is valid, milliseconds. */
const LIFETIME_MS = 7 * DAY_MS

export interface Confirmation {
  user_id: number
  bank_account_id: number
}

export interface ConfirmationLinks {
  /** @param since  when the number was first seen, ISO 8601: the link is valid for seven days from then */
  url(confirmation: Confirmation, since: string): string
  /** The bank account that a token confirms; null if it is not one of ours, or has expired. */
  read(token: string, now: Date): Confirmation | null
}

const FORM = /^bcb_[1-9]\d{0,14}\.([1-9]\d{0,14})-(\d{10,14})-([\w-]{43})$/

/**
 * @param secret  the installation's secret (`JWT_SECRET`): after it changes, sent links are void
 * @param baseUrl  without a trailing slash
 */
export const confirmationLinks = (secret: string, baseUrl: string): ConfirmationLinks => {
  const macOf = ({ user_id, bank_account_id }: Confirmation, until: number): string =>
    createHmac('sha256', secret)
      .update(`mail:confirm_bank_account:${user_id}:${bank_account_id}:${until}`)
      .digest('base64url')

  return {
    url: (confirmation, since) => {
      const until = Date.parse(since) + LIFETIME_MS
      const mac = macOf(confirmation, until)
      const { user_id, bank_account_id } = confirmation
      const token = formToken('confirm_bank_account', user_id, `${bank_account_id}-${until}-${mac}`)
      return `${baseUrl}${CONFIRMATION_PAGE}?token=${token}`
    },
    read: (token, now) => {
      const user_id = userOfToken('confirm_bank_account', token)
      const [, number = '', end = '', mac = ''] = FORM.exec(token) ?? []
      if (user_id === null || mac === '') return null
      const confirmation = { user_id, bank_account_id: Number(number) }
      const until = Number(end)
      // The texts are compared, not the bytes: base64url can write the same bytes in several ways.
      const isOurs = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(confirmation, until)))
      return isOurs && now.getTime() < until ? confirmation : null
    },
  }
}
