// Tests: tests/integration/http/session.test.ts
/** The dashboard's session: a login whose token is set as a cookie. */
import type { z } from 'zod'
import { endSessionOf } from '../../../workflows/accounts/sessions.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../middleware/errors.ts'
import { body, noBody } from '../openapi/input.ts'
import type { JsonWebTokens } from '../middleware/json-web-tokens.ts'
import type { LimitedLogin } from '../middleware/limited-login.ts'
import { message, whole } from '../openapi/answers.ts'
import type { Guard } from '../openapi/operation.ts'
import type { Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { MessageAndEnded, presentEnded } from './auth.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { Login } from './requests.ts'
import { dropSession, keepSession, refuseForeignOrigin, sessionOf } from '../middleware/session-cookie.ts'
import { loginRefusals } from './auth.ts'

interface Steps {
  tokens: JsonWebTokens
  limited: Limited
  login: LimitedLogin
}

/** The handler checks the session itself, because the session of a locked account can be ended too. */
const withSession: Guard = { credentials: ['session'], refuses: ['UNAUTHORIZED', 'FORBIDDEN_ORIGIN'] }

export const sessionRoutes = (operations: Operations, parts: ApiParts, { tokens, limited, login }: Steps): void => {
  const { settings, clock, accounts } = parts
  const { post, remove } = operations.of('Logging in')

  const begin = async (context: ApiContext, pair: z.infer<typeof Login>) => {
    const loggedIn = await login.logIn(context, pair)
    await settled(parts, loggedIn)
    const { account, ended } = loggedIn
    keepSession(context, settings, await tokens.sign(account, 'session'))
    return { success: true as const, message: 'You are logged in.', ...presentEnded(ended) }
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
  remove('/api/session', 'Log out of the dashboard', withSession, noBody, message, end)
}
