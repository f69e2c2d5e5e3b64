// Tests: tests/unit/workflows/accounts/mail-links.test.ts, tests/integration/http/accounts.test.ts
/**
 * Links that are sent by mail. A token is derived from a nonce and the installation's secret. So a reactor can write
 * the mail from the event, even if a crash delays it, while the event itself contains nothing that gives access to an
 * account.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { MailPurpose, NewMailToken } from '../../domain/account/mail-tokens.ts'
import { formToken, hashOfToken } from '../../domain/account/tokens.ts'
import { confirmationLinks, type ConfirmationLinks } from './confirmation-links.ts'

const PAGE: Record<MailPurpose, string> = { verify_email: 'verify-email', reset_password: 'reset-password' }

export interface MailLinks {
  make(purpose: MailPurpose, userId: number): NewMailToken
  /** The address in the mail: the page of the dashboard, with the token. */
  url(purpose: MailPurpose, userId: number, nonce: string): string
  /** The address of a page of the dashboard. */
  page(path: string): string
  /** For new bank accounts. */
  confirmation: ConfirmationLinks
}

/**
 * @param secret  the installation's secret (`JWT_SECRET`): after it changes, sent links are void
 * @param baseUrl  without a trailing slash
 */
export const mailLinks = (secret: string, baseUrl: string): MailLinks => {
  // The colons separate it from everything else that is derived from the same secret: a JWT's signing input has none.
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
