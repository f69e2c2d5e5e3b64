/**
 * Links that are sent by mail. A token is made from a nonce under the installation's secret, so that the mail can be written
 * from the event, by a reaction that a crash only delays, while the event itself holds nothing that opens an account.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { MailPurpose, NewMailToken } from '../../domain/account/mail-tokens.ts'
import { formToken, hashOfToken } from '../../domain/account/tokens.ts'
import { confirmationLinks, type ConfirmationLinks } from './confirmation-links.ts'

const PAGE: Record<MailPurpose, string> = { verify_email: 'verify-email', reset_password: 'reset-password' }

export interface MailLinks {
  make(purpose: MailPurpose, userId: number): NewMailToken
  /** The address in the mail: the dashboard's page, with the token. */
  url(purpose: MailPurpose, userId: number, nonce: string): string
  /** Where a page of the dashboard is. */
  page(path: string): string
  /** For new bank accounts. */
  confirmation: ConfirmationLinks
}

/**
 * @param secret  the installation's (`JWT_SECRET`): with another one, links under way are void
 * @param baseUrl  without a slash at its end
 */
export const mailLinks = (secret: string, baseUrl: string): MailLinks => {
  // The colons keep it apart from whatever else is made with the same secret: a JWT's signing input has none.
  const token = (purpose: MailPurpose, userId: number, nonce: string): string =>
    formToken(
      purpose,
      userId,
      createHmac('sha256', secret).update(`mail:${purpose}:${userId}:${nonce}`).digest('base64url'),
    )
  return {
    make: (purpose, userId) => {
      const nonce = randomBytes(24).toString('base64url')
      return { nonce, token_hash: hashOfToken(token(purpose, userId, nonce)) }
    },
    url: (purpose, userId, nonce) => `${baseUrl}/${PAGE[purpose]}?token=${token(purpose, userId, nonce)}`,
    page: (path) => `${baseUrl}/${path}`,
    confirmation: confirmationLinks(secret, baseUrl),
  }
}
