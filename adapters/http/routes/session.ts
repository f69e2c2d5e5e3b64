/** The dashboard's session: the login's answer as a cookie. */
import type { z } from 'zod'
import { logIn } from '../../../workflows/accounts/access.ts'
import { endSessionOf } from '../../../workflows/accounts/sessions.ts'
import { callerIn } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { unauthorized } from '../errors.ts'
import { body, noBody } from '../input.ts'
import type { JsonWebTokens } from '../json-web-tokens.ts'
import { message } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import type { Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import type { Limited } from '../rate-limits.ts'
import { Login } from '../requests.ts'
import { dropSession, keepSession, refuseForeignOrigin, sessionOf } from '../session-cookie.ts'
import { loginRefusals } from './auth.ts'

interface Steps {
  tokens: JsonWebTokens
  limited: Limited
}

/** Opens what it closes: it is checked by the handler, as the session of a locked account can be ended too. */
const withSession: Part = { credentials: ['session'], refuses: ['UNAUTHORIZED', 'FORBIDDEN_ORIGIN'] }

export const sessionRoutes = (operations: Operations, parts: ApiParts, { tokens, limited }: Steps): void => {
  const { settings, clock, accounts } = parts
  const { post, remove } = operations.of('Logging in')

  const begin = async (context: ApiContext, pair: z.infer<typeof Login>) => {
    const account = await logIn(parts, pair, callerIn(context))
    keepSession(context, settings, await tokens.sign(account, 'session'))
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

  post('/api/session', 'Log in to the dashboard', limited('login'), body(Login), loginRefusals, message, begin)
  remove('/api/session', 'Log out of the dashboard', withSession, noBody, message, end)
}
