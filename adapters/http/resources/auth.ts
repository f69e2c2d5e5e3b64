// Tests: tests/integration/http/accounts.test.ts
/**
 * Registration, login (interface, section 4.1), and actions by links in mails. A request that needs only an email address gets the same
 * response, with constant-time delay, whether the address has an account or not.
 */
import { z } from 'zod'
import { askForLinkByMail, registerByMail, resetPassword, verifyEmail } from '../../../workflows/accounts/by-mail.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import { callerIn } from '../middleware/caller.ts'
import type { ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import type { JsonWebTokens } from '../middleware/json-web-tokens.ts'
import type { LimitedLogin } from '../middleware/limited-login.ts'
import { constantTime } from '../middleware/constant-time.ts'
import { message, whole } from '../openapi/answers.ts'
import { type Operations, refuses } from '../openapi/operations.ts'
import { type ApiParts, settled } from '../parts.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { EmailAlone, EmailVerification, Login, PasswordReset, Registration } from './request-bodies.ts'

const Ended = z
  .strictObject({
    api_key: z.boolean().meta({ description: 'Create a new one with POST /api/account/api-key/rotate.' }),
    scoped_keys: z.int().min(0),
    personal_url: z.boolean().meta({ description: 'Create a new one with POST /api/receive-url/rotate.' }),
    devices: z.int().min(0).meta({ description: 'Pair the phones again.' }),
    counter: z.boolean(),
    mail_accounts: z
      .int()
      .min(0)
      .meta({ description: 'Paused. Resume your own with PUT /api/mail-accounts/:id {"is_active":1}.' }),
    trusted_senders: z.int().min(0).meta({
      description: 'Senders that are no longer trusted. `without_sender` and `trust_sms_app_titles` are off too.',
    }),
  })
  .meta({ id: 'Ended', description: 'Only if end_everything was true.' })

/** A message, and a list of what was revoked. */
export const MessageAndEnded = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  ended: Ended.optional(),
})

/** Empty if `end_everything` was not requested. */
export const presentEnded = (ended: z.output<typeof Ended> | null) => (ended === null ? {} : { ended })

export interface LoginSteps {
  tokens: JsonWebTokens
  limited: Limited
  login: LimitedLogin
}

const Token = z.strictObject({
  success: z.literal(true),
  token: z.string().meta({ description: 'JWT, valid for 7 days.' }),
  ended: Ended.optional(),
})

/** Errors of a login, by token or session. */
export const loginRefusals = refuses('UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', 'ACCOUNT_LOCKED')

export const authRoutes = (
  operations: Operations,
  api: ApiParts,
  { tokens, limited, login: loginLimit }: LoginSteps,
): void => {
  const parts = { ...api, links: mailLinks(api.settings.jwtSecret, api.settings.baseUrl) }
  const { post } = operations.of('Logging in')

  const login = async (context: ApiContext, pair: z.infer<typeof Login>) => {
    const loggedIn = await settled(parts, loginLimit.logIn(context, pair))
    const { account, ended } = loggedIn
    return { success: true as const, token: await tokens.sign(account, 'login'), ...presentEnded(ended) }
  }

  const register = async (context: ApiContext, { name = null, ref, ...given }: z.infer<typeof Registration>) => {
    await registerByMail(parts, { ...given, name, ref: ref?.trim() || undefined }, callerIn(context))
    return 'We have sent you a mail. Open the link in it to continue.'
  }

  const verify = async (_: ApiContext, { token }: z.infer<typeof EmailVerification>) => {
    await settled(parts, verifyEmail(parts, token))
    return 'Your email address is confirmed.'
  }

  const resend = async (_: ApiContext, { email }: z.infer<typeof EmailAlone>) => {
    await askForLinkByMail(parts, 'verify_email', email)
    return 'If this address is waiting to be confirmed, a new link is on its way.'
  }

  const forgot = async (_: ApiContext, { email }: z.infer<typeof EmailAlone>) => {
    await askForLinkByMail(parts, 'reset_password', email)
    return 'If this address has an account, a link to choose a new password is on its way.'
  }

  const reset = async (context: ApiContext, given: z.infer<typeof PasswordReset>) => {
    const reset = await settled(parts, resetPassword(parts, given, callerIn(context)))
    await loginLimit.remember(context, reset.account)
    return {
      success: true as const,
      message: 'Your password was changed. Log in with the new one.',
      ...presentEnded(reset.ended),
    }
  }

  post('/api/auth/login', 'Log in', limited('login'), body(Login), loginRefusals, whole(Token), login)
  post(
    '/api/auth/register',
    'Register an account',
    limited('register'),
    constantTime,
    body(Registration),
    message,
    register,
  )
  post('/api/auth/verify-email', 'Verify the email address', body(EmailVerification), message, verify)
  post(
    '/api/auth/resend-verify',
    'Resend the verification email',
    constantTime,
    limited('resend'),
    body(EmailAlone),
    message,
    resend,
  )
  post(
    '/api/auth/forgot-password',
    'Request a password reset email',
    limited('forgot'),
    constantTime,
    body(EmailAlone),
    message,
    forgot,
  )
  post(
    '/api/auth/reset-password',
    'Reset the password',
    limited('reset'),
    body(PasswordReset),
    whole(MessageAndEnded),
    reset,
  )
}
