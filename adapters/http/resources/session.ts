// Tests: tests/integration/http/session.test.ts
/** The dashboard's session: a login whose token is set as a cookie. */
import type { z } from 'zod'
import { invalid } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import { endSessionOf } from '../../../workflows/accounts/sessions.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../middleware/errors.ts'
import { body, noBody } from '../openapi/input.ts'
import { message, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { takeSignInLink } from '../../postgres/ops/sign-in-links.ts'
import { settled, type ApiParts } from '../parts.ts'
import { loginRefusals, MessageAndEnded, presentEnded, type LoginSteps } from './auth.ts'
import { Login, SignInLink } from './request-bodies.ts'
import { dropSession, keepSession, refuseForeignOrigin, sessionOf } from '../middleware/session-cookie.ts'

/** The same for used, expired and unknown links. */
const BAD_LINK = { path: 'token', message: 'The link was used, has expired or is invalid. Log in with the password.' }

/** The handler checks the session itself, because the session of a locked account can be ended too. */
const withSession: Guard = { credentials: ['session'], refuses: ['UNAUTHORIZED', 'FORBIDDEN_ORIGIN'] }

export const sessionRoutes = (
  operations: Operations,
  parts: ApiParts,
  { tokens, limited, login }: LoginSteps,
): void => {
  const { settings, clock, accounts, database } = parts
  const { post, remove } = operations.of('Logging in')

  const begin = async (context: ApiContext, pair: z.infer<typeof Login>) => {
    const loggedIn = await settled(parts, login.logIn(context, pair))
    const { account, ended } = loggedIn
    keepSession(context, settings, await tokens.sign(account, 'session'))
    return { success: true as const, message: 'You are logged in.', ...presentEnded(ended) }
  }

  const useLink = async (context: ApiContext, { token }: z.infer<typeof SignInLink>) => {
    const signer = await takeSignInLink(database.of(null), token)
    const account = signer && (await accounts.find(signer.user_id))
    if (!account || account.token_version !== signer.token_version) throw invalid(BAD_LINK)
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    keepSession(context, settings, await tokens.sign(account, 'session'))
    await login.remember(context, account)
    return 'You are logged in.'
  }

  const end = async (context: ApiContext) => {
    const token = sessionOf(context, settings)
    if (token === undefined) throw unauthorized()
    refuseForeignOrigin(context, settings)
    const claims = await tokens.verify(token, 'session')
    dropSession(context, settings)
    if (!claims) throw unauthorized()
    await endSessionOf({ accounts, clock }, claims)
    return 'You are logged out.'
  }

  post(
    '/api/session',
    'Log in to the dashboard',
    limited('login'),
    body(Login),
    loginRefusals,
    whole(MessageAndEnded),
    begin,
  )
  post(
    '/api/session/link',
    'Log in to the dashboard with a link',
    limited('login'),
    body(SignInLink),
    refuses('ACCOUNT_LOCKED'),
    message,
    useLink,
  )
  remove('/api/session', 'Log out of the dashboard', withSession, noBody, message, end)
}
